//! Who makes which models, and whose API a seller is: the tables behind [`super::identify`].
//!
//! Every row is a statement about the world with its reason in `docs/model-identity.md`; nothing here is guessed from spelling alone.
//! Spellings are compared in lower case with `_` as `-`. A new maker, family or seller is one line here and one case in
//! `tests/it/model_identity.rs`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a seller is to the models that it sells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// The maker's own API.
    Maker,
    /// A cloud platform of the maker's company (Vertex AI, Bedrock, Azure): first-party where the maker's own API is not known.
    Platform,
    /// A page of the maker that sells nothing: published weights.
    Listing,
    /// Somebody else.
    Reseller,
}

/// Makers: slug, name, and every spelling of them as the vendor part of an id.
const MAKERS: &[(&str, &str, &[&str])] = &[
    ("ai21", "AI21 Labs", &["ai21", "ai21-labs", "ai21labs"]),
    ("aion-labs", "AionLabs", &["aion-labs", "aionlabs"]),
    ("alibaba", "Alibaba", &["alibaba", "qwen", "alibaba-nlp", "alibaba-cloud", "dashscope", "wanx", "tongyi-zhiwen"]),
    ("allenai", "Allen Institute for AI", &["allenai", "ai2"]),
    ("amazon", "Amazon", &["amazon", "amazon-nova", "aws"]),
    ("anthropic", "Anthropic", &["anthropic"]),
    ("arcee", "Arcee AI", &["arcee", "arcee-ai"]),
    ("assemblyai", "AssemblyAI", &["assemblyai"]),
    ("baai", "BAAI", &["baai"]),
    ("baichuan", "Baichuan", &["baichuan", "baichuan-inc"]),
    ("baidu", "Baidu", &["baidu", "paddlepaddle"]),
    ("black-forest-labs", "Black Forest Labs", &["black-forest-labs", "bfl", "blackforestlabs"]),
    ("bytedance", "ByteDance", &["bytedance", "bytedance-seed", "volcengine", "bytedance-research"]),
    ("cohere", "Cohere", &["cohere", "coherelabs", "cohereforai", "c4ai"]),
    ("databricks", "Databricks", &["databricks"]),
    ("deepcogito", "Deep Cogito", &["deepcogito"]),
    ("deepgram", "Deepgram", &["deepgram"]),
    ("deepseek", "DeepSeek", &["deepseek", "deepseek-ai"]),
    ("elevenlabs", "ElevenLabs", &["elevenlabs"]),
    ("essentialai", "Essential AI", &["essentialai"]),
    ("google", "Google", &["google", "google-deepmind", "google-t5"]),
    ("groq", "Groq", &["groq"]),
    ("huggingface", "Hugging Face", &["huggingfaceh4", "huggingfacetb", "huggingface"]),
    ("ibm", "IBM", &["ibm", "ibm-granite"]),
    ("ideogram", "Ideogram", &["ideogram", "ideogramai", "ideogram-ai"]),
    ("inception", "Inception", &["inception", "inceptionlabs"]),
    ("inclusionai", "inclusionAI", &["inclusionai"]),
    ("inflection", "Inflection", &["inflection", "inflection-ai"]),
    ("jina", "Jina AI", &["jina", "jina-ai", "jinaai"]),
    ("kling", "Kling AI", &["kling", "klingai"]),
    ("kwaipilot", "Kwaipilot", &["kwaipilot", "kuaishou"]),
    ("liquid", "Liquid AI", &["liquid", "liquidai", "liquid-ai"]),
    ("meituan", "Meituan", &["meituan", "meituan-longcat"]),
    ("meta", "Meta", &["meta", "meta-llama", "meta-ai", "metallama", "facebook", "codellama", "llama"]),
    ("microsoft", "Microsoft", &["microsoft"]),
    ("minimax", "MiniMax", &["minimax", "minimaxai", "minimax-ai"]),
    ("mistral", "Mistral AI", &["mistral", "mistralai", "mistral-ai"]),
    ("moonshotai", "Moonshot AI", &["moonshotai", "moonshot", "moonshot-ai", "kimi"]),
    ("morph", "Morph", &["morph", "morph-ai"]),
    ("nousresearch", "Nous Research", &["nousresearch", "nous-research"]),
    ("nvidia", "NVIDIA", &["nvidia", "nvidia-nim"]),
    ("openai", "OpenAI", &["openai", "openai-community"]),
    ("perplexity", "Perplexity", &["perplexity", "perplexity-ai"]),
    ("poolside", "Poolside", &["poolside"]),
    ("prime-intellect", "Prime Intellect", &["prime-intellect", "primeintellect"]),
    ("recraft", "Recraft", &["recraft", "recraft-ai"]),
    ("reka", "Reka", &["reka", "rekaai"]),
    ("runway", "Runway", &["runway", "runwayml"]),
    ("sarvam", "Sarvam AI", &["sarvam", "sarvamai"]),
    ("sber", "Sber", &["sber", "ai-sage", "gigachat"]),
    ("snowflake", "Snowflake", &["snowflake"]),
    ("stability", "Stability AI", &["stability", "stabilityai", "stability-ai"]),
    ("stepfun", "StepFun", &["stepfun", "stepfun-ai"]),
    ("tencent", "Tencent", &["tencent", "tencent-hunyuan"]),
    ("thinkingmachines", "Thinking Machines", &["thinkingmachines"]),
    ("twelvelabs", "TwelveLabs", &["twelvelabs"]),
    ("upstage", "Upstage", &["upstage"]),
    ("vercel", "Vercel", &["vercel", "v0"]),
    ("voyage", "Voyage AI", &["voyage", "voyageai", "voyage-ai"]),
    ("writer", "Writer", &["writer"]),
    ("xai", "xAI", &["xai", "x-ai", "spacexai", "grok"]),
    ("xiaomi", "Xiaomi", &["xiaomi", "xiaomimimo"]),
    ("zai", "Z.ai", &["zai", "z-ai", "z.ai", "zai-org", "zhipuai", "zhipu", "thudm"]),
];

/// Families of models: how their names begin, and who makes them. The longest beginning that fits decides; it must end at a digit,
/// a separator or the end of the name (`gpt-4o` and `gpt2`, but not `gptx`).
const FAMILIES: &[(&str, &str)] = &[
    ("ada", "openai"),
    ("arctic", "snowflake"),
    ("aura", "deepgram"),
    ("aya", "cohere"),
    ("c4ai", "cohere"),
    ("babbage", "openai"),
    ("bge", "baai"),
    ("chat-bison", "google"),
    ("chatgpt", "openai"),
    ("chirp", "google"),
    ("claude", "anthropic"),
    ("cogito", "deepcogito"),
    ("code-bison", "google"),
    ("codegemma", "google"),
    ("codellama", "meta"),
    ("code-llama", "meta"),
    ("codestral", "mistral"),
    ("codex", "openai"),
    ("command", "cohere"),
    ("compound", "groq"),
    ("computer-use-preview", "openai"),
    ("dall-e", "openai"),
    ("davinci", "openai"),
    ("dbrx", "databricks"),
    ("deephermes", "nousresearch"),
    ("deepseek", "deepseek"),
    ("deepseek-tng", "tngtech"),
    ("devstral", "mistral"),
    ("doubao", "bytedance"),
    ("embed-english", "cohere"),
    ("embed-multilingual", "cohere"),
    ("embed-v", "cohere"),
    ("ernie", "baidu"),
    ("flux", "black-forest-labs"),
    ("gemini", "google"),
    ("gemma", "google"),
    ("gigachat", "sber"),
    ("glm", "zai"),
    ("chatglm", "zai"),
    ("autoglm", "zai"),
    ("gpt", "openai"),
    ("gpt-j", "eleutherai"),
    ("gpt-neo", "eleutherai"),
    ("gpt-neox", "eleutherai"),
    ("gpt4all", "nomic"),
    ("granite", "ibm"),
    ("gte", "alibaba"),
    ("grok", "xai"),
    ("hermes", "nousresearch"),
    ("nous-hermes", "nousresearch"),
    ("hunyuan", "tencent"),
    ("hy", "tencent"),
    ("imagen", "google"),
    ("imagegeneration", "google"),
    ("intellect", "prime-intellect"),
    ("j2", "ai21"),
    ("jamba", "ai21"),
    ("jina", "jina"),
    ("kat", "kwaipilot"),
    ("kimi", "moonshotai"),
    ("kling", "kling"),
    ("learnlm", "google"),
    ("lfm", "liquid"),
    ("ling", "inclusionai"),
    ("llama", "meta"),
    ("longcat", "meituan"),
    ("lyria", "google"),
    ("magistral", "mistral"),
    ("medgemma", "google"),
    ("mercury", "inception"),
    ("mimo", "xiaomi"),
    ("minimax", "minimax"),
    ("ministral", "mistral"),
    ("mistral", "mistral"),
    ("mixtral", "mistral"),
    ("moonshot", "moonshotai"),
    ("morph", "morph"),
    ("muse", "meta"),
    ("multimodalembedding", "google"),
    ("nemotron", "nvidia"),
    ("llama-3.1-nemotron", "nvidia"),
    ("llama-3_1-nemotron", "nvidia"),
    ("llama-3.3-nemotron", "nvidia"),
    ("llama-3_3-nemotron", "nvidia"),
    ("llama-v3p1-nemotron", "nvidia"),
    ("llama-3.2-nemotron", "nvidia"),
    ("llama-3.2-nv", "nvidia"),
    ("llama-3_2-nv", "nvidia"),
    ("nv", "nvidia"),
    ("nova", "amazon"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("olmo", "allenai"),
    ("omni-moderation", "openai"),
    ("open-codestral", "mistral"),
    ("open-mistral", "mistral"),
    ("open-mixtral", "mistral"),
    ("paligemma", "google"),
    ("palmyra", "writer"),
    ("phi", "microsoft"),
    ("pixtral", "mistral"),
    ("pplx", "perplexity"),
    ("qvq", "alibaba"),
    ("qwen", "alibaba"),
    ("qwq", "alibaba"),
    ("codeqwen", "alibaba"),
    ("recraft", "recraft"),
    ("ring", "inclusionai"),
    ("rnj", "essentialai"),
    ("sarvam", "sarvam"),
    ("scribe", "elevenlabs"),
    ("eleven", "elevenlabs"),
    ("seed", "bytedance"),
    ("seedance", "bytedance"),
    ("seedream", "bytedance"),
    ("solar", "upstage"),
    ("sonar", "perplexity"),
    ("sora", "openai"),
    ("stable-audio", "stability"),
    ("stable-diffusion", "stability"),
    ("stable-image", "stability"),
    ("sd3", "stability"),
    ("step", "stepfun"),
    ("text-bison", "google"),
    ("text-davinci", "openai"),
    ("text-embedding-3", "openai"),
    ("text-embedding-ada", "openai"),
    ("text-embedding-00", "google"),
    ("text-multilingual-embedding", "google"),
    ("text-moderation", "openai"),
    ("text-unicorn", "google"),
    ("titan", "amazon"),
    ("trinity", "arcee"),
    ("tts-1", "openai"),
    ("v0", "vercel"),
    ("veo", "google"),
    ("voxtral", "mistral"),
    ("voyage", "voyage"),
    ("wan", "alibaba"),
    ("whisper", "openai"),
    ("wizardlm", "microsoft"),
    ("yi", "01-ai"),
    ("zephyr", "huggingface"),
    ("stablelm", "stability"),
    ("starcoder", "bigcode"),
    ("laguna", "poolside"),
    ("aion", "aion-labs"),
    ("gen3", "runway"),
    ("gen4", "runway"),
    ("marengo", "twelvelabs"),
    ("pegasus", "twelvelabs"),
    ("ideogram", "ideogram"),
    ("baichuan", "baichuan"),
    ("inflection", "inflection"),
    ("reka", "reka"),
    ("azure-stt", "microsoft"),
    ("azure-tts", "microsoft"),
    ("codegeex", "zai"),
    ("deep-research-pro", "google"),
    ("dolphin", "cognitivecomputations"),
    ("firefunction", "fireworks"),
    ("firellava", "fireworks"),
    ("jais", "core42"),
    ("internvl", "opengvlab"),
    ("mai", "microsoft"),
    ("medlm", "google"),
    ("mythomax", "gryphe"),
    ("nano-banana", "google"),
    ("paddleocr", "baidu"),
    ("north", "cohere"),
    ("ft-gpt", "openai"),
    ("ft-o4", "openai"),
    ("ft-babbage", "openai"),
    ("ft-davinci", "openai"),
];

/// Families that a seller makes itself although another maker's family is spelled alike: seller's maker, beginnings of names.
const OWN_FAMILIES: &[(&str, &[&str])] = &[
    ("deepgram", &["nova", "base", "enhanced", "flux", "aura"]),
    ("voyage", &["rerank", "voyage"]),
    ("cohere", &["rerank", "embed"]),
    ("jina", &["jina", "rerank"]),
];

/// Sellers: canonical name, what they are to their own company's models, that company, and every spelling in the sources.
/// A seller that is in no row is a reseller under its own name.
const SELLERS: &[(&str, Channel, &str, &[&str])] = &[
    ("ai21", Channel::Maker, "ai21", &["ai21-labs"]),
    ("alibaba", Channel::Maker, "alibaba", &["dashscope", "qwen"]),
    ("amazon", Channel::Maker, "amazon", &["amazon-nova", "nova", "aws-polly"]),
    ("amazon-bedrock", Channel::Platform, "amazon", &["bedrock", "bedrock-converse", "bedrock-mantle"]),
    ("anthropic", Channel::Maker, "anthropic", &[]),
    ("assemblyai", Channel::Maker, "assemblyai", &[]),
    ("azure", Channel::Platform, "microsoft", &["azure-ai", "azure-text", "azure-cognitive-services"]),
    ("bailing", Channel::Maker, "inclusionai", &[]),
    ("black-forest-labs", Channel::Maker, "black-forest-labs", &["bfl"]),
    ("cohere", Channel::Maker, "cohere", &["cohere-chat"]),
    ("databricks", Channel::Maker, "databricks", &[]),
    ("deepgram", Channel::Maker, "deepgram", &[]),
    ("deepseek", Channel::Maker, "deepseek", &[]),
    ("elevenlabs", Channel::Maker, "elevenlabs", &[]),
    ("gigachat", Channel::Maker, "sber", &[]),
    ("google", Channel::Maker, "google", &["gemini", "palm"]),
    ("google-vertex", Channel::Platform, "google", &["vertex-ai", "google-vertex-anthropic"]),
    ("groq", Channel::Maker, "groq", &[]),
    ("inception", Channel::Maker, "inception", &["text-completion-inception"]),
    ("jina", Channel::Maker, "jina", &["jina-ai"]),
    ("meta", Channel::Maker, "meta", &["meta-llama", "meta-ai", "llama"]),
    ("microsoft", Channel::Maker, "microsoft", &[]),
    ("minimax", Channel::Maker, "minimax", &[]),
    ("mistral", Channel::Maker, "mistral", &["mistral-ai", "codestral", "text-completion-codestral"]),
    ("moonshotai", Channel::Maker, "moonshotai", &["moonshot", "moonshot-ai"]),
    ("morph", Channel::Maker, "morph", &[]),
    ("nvidia", Channel::Maker, "nvidia", &["nvidia-nim"]),
    ("openai", Channel::Maker, "openai", &["text-completion-openai"]),
    ("perplexity", Channel::Maker, "perplexity", &[]),
    ("poolside", Channel::Maker, "poolside", &[]),
    ("recraft", Channel::Maker, "recraft", &[]),
    ("runway", Channel::Maker, "runway", &["runwayml"]),
    ("sarvam", Channel::Maker, "sarvam", &[]),
    ("snowflake", Channel::Maker, "snowflake", &["snowflake-cortex"]),
    ("stability", Channel::Maker, "stability", &["stability-ai"]),
    ("stepfun", Channel::Maker, "stepfun", &["stepfun-ai"]),
    ("tencent", Channel::Maker, "tencent", &["tencent-tokenhub"]),
    ("upstage", Channel::Maker, "upstage", &[]),
    ("v0", Channel::Maker, "vercel", &[]),
    ("volcengine", Channel::Maker, "bytedance", &["bytedance"]),
    ("voyage", Channel::Maker, "voyage", &["voyage-ai"]),
    ("watsonx", Channel::Platform, "ibm", &["ibm"]),
    ("xai", Channel::Maker, "xai", &["x-ai"]),
    ("xiaomi", Channel::Maker, "xiaomi", &[]),
    ("zai", Channel::Maker, "zai", &["z.ai", "z-ai", "zhipuai"]),
    // Resellers whose name differs between the sources; the company is empty because they make none of what they sell.
    ("cloudflare-workers-ai", Channel::Reseller, "", &["cloudflare", "workers-ai"]),
    ("digitalocean", Channel::Reseller, "", &["gradient-ai"]),
    ("fireworks-ai", Channel::Reseller, "", &["fireworks", "fireworks-ai-embedding-models"]),
    ("friendli", Channel::Reseller, "", &["friendliai"]),
    ("github-copilot", Channel::Reseller, "", &[]),
    ("gmicloud", Channel::Reseller, "", &["gmi"]),
    ("novita-ai", Channel::Reseller, "", &["novita"]),
    ("openrouter", Channel::Reseller, "", &[]),
    ("togetherai", Channel::Reseller, "", &["together", "together-ai", "togethercomputer"]),
    ("vercel-ai-gateway", Channel::Reseller, "", &["vercel"]),
    ("nebius", Channel::Reseller, "", &[]),
    ("baseten", Channel::Reseller, "", &[]),
    ("cerebras", Channel::Reseller, "", &[]),
    ("sambanova", Channel::Reseller, "", &[]),
    ("siliconflow", Channel::Reseller, "", &[]),
    ("deepinfra", Channel::Reseller, "", &[]),
    ("replicate", Channel::Reseller, "", &[]),
    ("fal", Channel::Reseller, "", &["fal-ai"]),
];

/// A seller as the rules see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seller {
    /// The same for every spelling of the seller.
    pub name: String,
    /// What it is to the models of [`Seller::maker`].
    pub channel: Channel,
    /// The company whose own models it sells, if any.
    pub maker: Option<&'static str>,
    /// A part of the seller that is not its plain offer: a subscription plan, a regional site.
    pub variant: Option<&'static str>,
}

/// Parts of a seller's name that make its prices no plain ones.
const SELLER_VARIANTS: &[(&str, &str)] = &[
    ("-token-plan-ams", "plan"),
    ("-token-plan-cn", "plan"),
    ("-token-plan-sgp", "plan"),
    ("-token-plan", "plan"),
    ("-coding-plan-cn", "plan"),
    ("-cn-coding-plan", "plan"),
    ("-coding-plan", "plan"),
    ("-for-coding", "plan"),
    ("-cn", "cn"),
];

static VENDORS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    MAKERS.iter().flat_map(|(slug, _, spellings)| spellings.iter().map(move |spelling| (*spelling, *slug))).collect()
});

static NAMES: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| MAKERS.iter().map(|(slug, name, _)| (*slug, *name)).collect());

static SELLER_ROWS: LazyLock<HashMap<&'static str, usize>> = LazyLock::new(|| {
    let spelled = |(at, row): (usize, &(&'static str, Channel, &'static str, &'static [&'static str]))| {
        row.3.iter().map(|spelling| (*spelling, at)).chain([(row.0, at)]).collect::<Vec<_>>()
    };
    SELLERS.iter().enumerate().flat_map(spelled).collect()
});

/// The families by the first letter of their name, longest beginning first.
static FAMILIES_BY_LETTER: LazyLock<HashMap<u8, Vec<(&'static str, &'static str)>>> = LazyLock::new(|| {
    let mut by_letter: HashMap<u8, Vec<(&str, &str)>> = HashMap::new();
    for (family, maker) in FAMILIES {
        by_letter.entry(family.as_bytes()[0]).or_default().push((family, maker));
    }
    for families in by_letter.values_mut() {
        families.sort_by_key(|(family, _)| std::cmp::Reverse(family.len()));
    }
    by_letter
});

/// The maker's slug for the vendor part of an id, when it is a known one. Lower case.
pub fn vendor(spelling: &str) -> Option<&'static str> {
    VENDORS.get(spelling).copied().or_else(|| {
        spelling
            .contains('_')
            .then(|| spelling.replace('_', "-"))
            .and_then(|folded| VENDORS.get(folded.as_str()).copied())
    })
}

/// The name of a maker for people; `None` for a maker that is only a slug of an upstream's own word.
pub fn display_name(maker: &str) -> Option<&'static str> {
    NAMES.get(maker).copied()
}

/// The maker of the family that a model's name belongs to. Lower case.
pub fn family(name: &str) -> Option<&'static str> {
    let families = FAMILIES_BY_LETTER.get(name.as_bytes().first()?)?;
    families.iter().find(|(family, _)| begins(name, family)).map(|(_, maker)| *maker)
}

/// The maker of a model by that seller's own families.
pub fn own_family(seller: &Seller, name: &str) -> Option<&'static str> {
    let maker = seller.maker?;
    let families = OWN_FAMILIES.iter().find(|(owner, _)| *owner == maker)?.1;
    families.iter().any(|family| begins(name, family)).then_some(maker)
}

/// The maker behind a vendor part, when the name is of a family that only tells it together with the vendor (`cohere-rerank-v3.5`).
pub fn vendor_family(spelling: &str, name: &str) -> Option<&'static str> {
    let maker = vendor(spelling)?;
    let families = OWN_FAMILIES.iter().find(|(owner, _)| *owner == maker)?.1;
    families.iter().any(|family| begins(name, family)).then_some(maker)
}

/// True when `name` begins with the family and a digit, a separator or the end follows. A family that ends in a digit or a hyphen is
/// followed by anything but another digit.
fn begins(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| match rest.bytes().next() {
        None => true,
        Some(next) if family == "text-embedding-00" || family == "embed-v" => next.is_ascii_digit() || next == b'-',
        Some(next) if family.ends_with(|c: char| c.is_ascii_digit()) => !next.is_ascii_digit(),
        Some(next) => !next.is_ascii_alphabetic() || family == "kimi",
    })
}

/// The seller behind a provider's name in a source.
pub fn seller(provider: &str) -> Seller {
    let folded = provider.to_lowercase().replace('_', "-");
    if let Some(seller) = seller_row(&folded) {
        return seller;
    }
    // LiteLLM splits Vertex AI by the maker of the models: `vertex_ai-anthropic_models`.
    if folded.starts_with("vertex-ai-")
        && let Some(seller) = seller_row("google-vertex")
    {
        return seller;
    }
    for (suffix, variant) in SELLER_VARIANTS {
        if let Some(base) = folded.strip_suffix(suffix) {
            let base = if base == "kimi" { "moonshotai" } else { base };
            let known = seller_row(base);
            return Seller {
                channel: known.as_ref().map_or(Channel::Reseller, |seller| seller.channel),
                maker: known.and_then(|seller| seller.maker),
                name: folded.clone(),
                variant: Some(variant),
            };
        }
    }
    Seller { name: folded, channel: Channel::Reseller, maker: None, variant: None }
}

fn seller_row(folded: &str) -> Option<Seller> {
    let (name, channel, maker, _) = SELLERS[*SELLER_ROWS.get(folded)?];
    let maker = (!maker.is_empty()).then_some(maker);
    Some(Seller { name: name.to_owned(), channel, maker, variant: None })
}

/// True for a seller that has a row, whatever it is; the others may be makers that no table knows.
pub fn is_known_seller(name: &str) -> bool {
    SELLER_ROWS.contains_key(name)
}

/// True for a part of an id that only names a seller which makes no models: it routes, it does not tell the maker.
pub fn is_reseller_segment(segment: &str) -> bool {
    let folded = segment.replace('_', "-");
    SELLER_ROWS.get(folded.as_str()).is_some_and(|at| {
        let (_, channel, _, _) = SELLERS[*at];
        channel == Channel::Platform || channel == Channel::Reseller
    }) && vendor(segment).is_none()
}
