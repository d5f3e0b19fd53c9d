//! A desk with an embedding model: vectors are computed beside the service, kept in the store, and computed again when they are damaged.

use serde_json::{Value, json};
use sqlx::SqlitePool;

use crate::common::{Desk, Server, tool};

/// Dimensions of the model.
const SIZE: usize = 4;
const WORDS: [&str; 6] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "light", "lamp"];

/// Writes a model without layers: the vector of a text is the mean of its words' vectors.
fn write_model(desk: &Desk) {
    let tensors: [(&str, usize, f32); 5] = [
        ("embeddings.word_embeddings.weight", WORDS.len(), 0.5),
        ("embeddings.position_embeddings.weight", 64, 0.25),
        ("embeddings.token_type_embeddings.weight", 2, 0.0),
        ("embeddings.LayerNorm.weight", 1, 1.0),
        ("embeddings.LayerNorm.bias", 1, 0.0),
    ];
    let (mut table, mut data) = (serde_json::Map::new(), Vec::<u8>::new());
    for (name, rows, value) in tensors {
        let from = data.len();
        // No two values of a row are the same, else it has no direction.
        let values = (0..rows * SIZE).map(|at| if rows == 1 { value } else { value * (at % 7) as f32 });
        data.extend(values.flat_map(f32::to_le_bytes));
        let shape = if rows == 1 { vec![SIZE] } else { vec![rows, SIZE] };
        table.insert(name.into(), json!({"dtype": "F32", "shape": shape, "data_offsets": [from, data.len()]}));
    }
    let table = Value::Object(table).to_string().into_bytes();
    desk.write("toy/vocab.txt", &WORDS.map(|word| format!("{word}\n")).concat());
    let config = json!({"model_type": "bert", "hidden_size": SIZE, "num_hidden_layers": 0, "num_attention_heads": 1,
        "intermediate_size": 1, "vocab_size": WORDS.len(), "max_position_embeddings": 64});
    desk.write("toy/config.json", &config.to_string());
    let weights = [&(table.len() as u64).to_le_bytes(), &table[..], &data].concat();
    std::fs::write(desk.path("toy/model.safetensors"), weights).unwrap();
}

async fn damage(desk: &Desk) -> u64 {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.store());
    let pool = SqlitePool::connect_with(options).await.unwrap();
    let damaged = sqlx::query("UPDATE embeddings SET vector = x'00'").execute(&pool).await.unwrap();
    pool.close().await;
    damaged.rows_affected()
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_are_computed_under_the_watchdog_and_again_when_those_kept_are_damaged() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    write_model(&desk);
    desk.run(&["sync"]).expect(0);
    let all_have_vectors = |server: &Server| server.health()["runtime"]["search_mode"] == "hybrid (available)";
    for damaged in [false, true] {
        if damaged {
            assert!(damage(&desk).await > 0, "some were kept");
        }
        let server = desk.serve(&["--offline", "--set", "embedding_model=toy"]);
        server.until("all texts have vectors", all_have_vectors);
        let metrics = server.get("/metrics").body;
        assert!(metrics.contains("refdesk_task_restarts_total{task=\"vectors\"} 0"), "{metrics}");
        assert_eq!(server.stop().0, 0);
    }
}
