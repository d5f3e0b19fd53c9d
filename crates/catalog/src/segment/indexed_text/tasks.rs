//! What models are for, in words that people look for it with: most models are listed without a word of description.

use refdesk_core::text::words;
use serde_json::{Map, Value};

/// What a model of a mode does.
const BY_MODE: [(&str, &str); 8] = [
    ("embedding", "text embeddings semantic search retrieval similarity"),
    ("rerank", "reranking reranker relevance of search results"),
    ("image", "image generation text to image generator"),
    ("video", "video generation text to video generator"),
    ("ocr", "OCR read text from scanned documents images PDF"),
    ("moderation", "content moderation safety classifier"),
    ("realtime", "realtime voice speech to speech conversation"),
    ("audio", "audio speech voice"),
];
/// What a model does that takes the one and gives the other.
const BY_MODALITIES: [(&str, &str, &str); 7] = [
    ("text", "audio", "TTS speech synthesis voice generation"),
    ("audio", "text", "STT transcription speech recognition audio understanding"),
    ("text", "image", "image generation text to image generator"),
    ("image", "image", "image editing"),
    ("image", "text", "vision image understanding multimodal"),
    ("text", "video", "video generation text to video generator"),
    ("video", "text", "video understanding"),
];
/// Parts of names that say it where nothing else does.
const BY_NAME: [(&str, &str); 9] = [
    ("tts", "TTS speech synthesis voice generation"),
    ("stt", "STT transcription speech recognition"),
    ("whisper", "STT transcription speech recognition"),
    ("transcribe", "STT transcription speech recognition"),
    ("coder", "writing code generation programming coding"),
    ("code", "writing code generation programming coding"),
    ("codex", "writing code generation programming coding"),
    ("codestral", "writing code generation programming coding"),
    ("devstral", "writing code generation programming coding"),
];

/// The tasks of a model with an id and these fields.
pub fn of_model<'a>(id: &'a str, fields: &'a Map<String, Value>) -> impl Iterator<Item = &'static str> + use<'a> {
    let mode = fields.get("mode").and_then(Value::as_str);
    let takes = |side: &str, modality: &str| {
        let list = fields.get("modalities").and_then(|modalities| modalities.get(side)).and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|known| known.as_str() == Some(modality)))
    };
    let by_mode = BY_MODE.iter().filter(move |(known, _)| mode == Some(*known)).map(|(_, task)| *task);
    let by_modalities =
        BY_MODALITIES.iter().filter(move |(input, output, _)| takes("input", input) && takes("output", output));
    let has_part = |part: &str| words(id).any(|word| word == part);
    let by_name = BY_NAME.iter().filter(move |(part, _)| has_part(part)).map(|(_, task)| *task);
    by_mode.chain(by_modalities.map(|(_, _, task)| *task)).chain(by_name)
}
