#!/usr/bin/env python3
"""Compares the starter catalog's models with the recorded upstreams, at each release: a fresh desk's first answers come from these cards.

    scripts/starter.py --refdesk target/debug/refdesk     what recordings confirm, and what they say otherwise; fails on the latter
    scripts/starter.py --refdesk … --write                the same, and the day of the recordings becomes `checked_on` of the cards that they confirm wholly

A card is confirmed when some list states a price or a limit of it, each that lists state is in one of them as the card has it, and none calls
a model that the card calls active deprecated, or past its end. Where the newest list that states it confirms each price and limit of a card, and
all of these lists are later than its `checked_on`, the day of the oldest of them can be carried over. Where ../shared is absent it says so and skips; with REFDESK_TEST_ALL=1 that is a
failure. Standard library only.
"""
import datetime, decimal, glob, json, os, re, sys, tempfile, zipfile

import page
from checks import needed
from desk import ROOT, Program, command_line, exact
from recordings import SHARED

RECORDINGS = os.path.join(SHARED, "upstream", "recordings.zip")
MILLION = decimal.Decimal(1_000_000)
# The maker's own entries in each list: what others sell it for is not what a card says. Meta and NVIDIA give their weights away, and what
# their own endpoints allow is not what the model does.
LITELLM = {"Anthropic": ["anthropic"], "OpenAI": ["openai", "text-completion-openai"], "Google": ["gemini", "vertex_ai-language-models"], "Mistral AI": ["mistral"], "xAI": ["xai"],
           "DeepSeek": ["deepseek"], "Cohere": ["cohere", "cohere_chat"], "Moonshot AI": ["moonshot"], "Z.ai": ["zai"], "MiniMax": ["minimax"], "Amazon": ["bedrock", "bedrock_converse"],
           "Voyage AI": ["voyage"], "Alibaba": ["dashscope"], "Perplexity": ["perplexity"], "AI21 Labs": ["ai21"], "Jina AI": ["jina_ai"]}
MODELS_DEV = {"Anthropic": "anthropic", "OpenAI": "openai", "Google": "google", "Mistral AI": "mistral", "xAI": "xai", "DeepSeek": "deepseek", "Cohere": "cohere", "Moonshot AI": "moonshotai",
              "Z.ai": "zai", "MiniMax": "minimax", "Amazon": "amazon-bedrock", "Alibaba": "alibaba", "Perplexity": "perplexity", "Inception": "inception", "Xiaomi": "xiaomi", "StepFun": "stepfun"}
LLM_PRICES = {"Anthropic": "anthropic", "OpenAI": "openai", "Google": "google", "Mistral AI": "mistral", "xAI": "xai", "DeepSeek": "deepseek", "MiniMax": "minimax", "Moonshot AI": "moonshot-ai", "Amazon": "amazon"}
FACTS = ["input", "output", "cache_read", "context_tokens", "output_tokens"]


def number(value, factor=1):
    return None if value is None or isinstance(value, (dict, list, str)) else (decimal.Decimal(value) * factor).normalize()


def spellings(card):
    """What the card calls the model, without a path before it."""
    names = [card["id"], *card["aliases"]]
    return {name.lower().rsplit("/", 1)[-1] for name in names} | {name.lower() for name in names}


class Lists:
    """The recorded price lists: for a card, what each states, the newest recording first."""
    def __init__(self, archive):
        with zipfile.ZipFile(archive) as zipped:
            self.litellm = exact(zipped.read("litellm/BerriAI/litellm/main/model_prices_and_context_window.json"))
            self.models_dev = exact(zipped.read("models-dev/api.json"))
            self.llm_prices = exact(zipped.read("llm-prices/current-v1.json"))["prices"]
            # In UTC, as the catalog counts days.
            day = lambda at: datetime.datetime.fromisoformat(at).astimezone(datetime.timezone.utc).date().isoformat()
            self.days = {recorded["name"]: day(recorded["date"]) for recorded in exact(zipped.read("MANIFEST.json")) if recorded["kind"] == "models"}

    def statements(self, card):
        names, vendor = spellings(card), card["vendor"]
        for found in self.llm_prices:
            if found["vendor"] == LLM_PRICES.get(vendor) and found["id"].lower() in names:
                yield "llm-prices", {"input": number(found["input"]), "output": number(found["output"]), "cache_read": number(found.get("input_cached"))}
        for name, found in self.litellm.items():
            if found.get("litellm_provider") in LITELLM.get(vendor, []) and name.lower().rsplit("/", 1)[-1] in names:
                per_million = lambda key: number(found.get(key), MILLION)
                yield "litellm", {"ended": ended_by(found.get("deprecation_date")), "input": per_million("input_cost_per_token"), "output": per_million("output_cost_per_token"), "cache_read": per_million("cache_read_input_token_cost"),
                                  "context_tokens": number(found.get("max_input_tokens")), "output_tokens": number(found.get("max_output_tokens"))}
        for name, found in self.models_dev.get(MODELS_DEV.get(vendor), {}).get("models", {}).items():
            if name.lower() in names:
                cost, limit = found.get("cost") or {}, found.get("limit") or {}
                yield "models-dev", {"ended": found.get("status") == "deprecated", "input": number(cost.get("input")), "output": number(cost.get("output")), "cache_read": number(cost.get("cache_read")),
                                     "context_tokens": number(limit.get("context") or None), "output_tokens": number(limit.get("output") or None)}


def ended_by(day):
    return bool(day) and day <= datetime.date.today().isoformat()


def stated(card):
    pricing, limits = card.get("pricing") or {}, card.get("limits") or {}
    return {fact: number((pricing if fact in ("input", "output", "cache_read") else limits).get(fact)) for fact in FACTS}


def compare(card, lists):
    """The facts that a list confirms, and those of which no list says what the card does."""
    heard = list(lists.statements(card))
    confirmed, refuted = [], []
    for fact, value in stated(card).items():
        said = [(source, values[fact]) for source, values in heard if values.get(fact) is not None]
        if value is None or not said:
            continue
        if any(found == value for _, found in said):
            confirmed.append(fact)
        else:
            refuted.append(f"{fact} {value.normalize():f}, but " + ", ".join(f"{found.normalize():f} ({source})" for source, found in said))
    enders = [source for source, values in heard if values.get("ended")]
    if card["status"] == "active" and enders:
        refuted.append(f"status active, but deprecated or past its end ({', '.join(enders)})")
    return confirmed, refuted


def later_day(card, lists):
    """The day by which recordings have confirmed every price and limit of a card, where that is after the card was checked."""
    heard = [(lists.days[source], values) for source, values in lists.statements(card)]
    days = []
    for fact, value in stated(card).items():
        said = sorted((day, values[fact] == value) for day, values in heard if values.get(fact) is not None)
        if value is not None and not (said and said[-1][1]):
            return None
        days += [said[-1][0]] if value is not None else []
    return min(days) if days and min(days) > card["last_verified_at"][:10] else None


def carry_over(days):
    """Writes days into `checked_on` of cards."""
    for path in glob.glob(os.path.join(ROOT, "catalog", "models", "**", "*.yaml"), recursive=True):
        text = page.read(path)
        day = days.get(re.search(r"(?m)^id: *(\S+)$", text)[1])
        if day:
            page.write(path, re.sub(r"(?m)^checked_on: .*$", f'checked_on: "{day}"', text, count=1))


def cards(refdesk):
    with tempfile.TemporaryDirectory() as folder:
        program = Program(refdesk, folder, "--offline")
        program.configure("")
        return exact(program.run("list", "models", "--limit", "500", "--json").stdout)["models"]


def main():
    parser = command_line(__doc__)
    parser.add_argument("--write", action="store_true", help="carry the days of recordings over to the cards that they confirm wholly")
    options = parser.parse_args()
    needed(RECORDINGS, "skipped: ../shared/upstream/recordings.zip is not there")
    lists = Lists(RECORDINGS)
    confirmed, refuted, unknown, days = [], [], [], {}
    for card in cards(options.refdesk):
        agreed, differing = compare(card, lists)
        (refuted if differing else confirmed if agreed else unknown).append(card["id"])
        day = None if differing else later_day(card, lists)
        if day:
            days[card["id"]] = day
        for line in differing:
            print(f"FAIL  {card['id']}: {line}")
    print(f"{len(confirmed)} cards confirmed, {len(refuted)} refuted, {len(unknown)} in no list")
    if options.write:
        carry_over(days)
    what = "carried over" if options.write else "later than checked_on, which --write carries over"
    print(f"{len(days)} cards are confirmed wholly by recordings {what}" + "".join(f"\n  {card} {day}" for card, day in sorted(days.items()) if not options.write))
    return 1 if refuted else 0


if __name__ == "__main__":
    sys.exit(main())
