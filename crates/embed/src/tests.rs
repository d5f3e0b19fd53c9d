//! The whole way from files to vectors, on models that are made here: one whose numbers can be worked out by hand, and a random one.

use serde_json::{Map, Value, json};

use super::math::{erf, exp};
use super::{Encoder, ModelFiles};

/// The files of a model.
struct Toy {
    config: Value,
    tensors: Vec<(String, Vec<usize>, Vec<f32>)>,
}

const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nred\nblue\n";

impl Toy {
    /// Every tensor of a model of these sizes; `value` gives the numbers by tensor and position.
    fn new(size: usize, inner: usize, layers: usize, heads: usize, value: &mut dyn FnMut(&str, usize) -> f32) -> Self {
        let config = json!({"model_type": "bert", "hidden_size": size, "num_hidden_layers": layers, "num_attention_heads": heads,
            "intermediate_size": inner, "vocab_size": 6, "max_position_embeddings": 16, "layer_norm_eps": 1e-12, "hidden_act": "gelu"});
        let mut shapes: Vec<(String, Vec<usize>)> = [("word", 6), ("position", 16), ("token_type", 2)]
            .map(|(name, rows)| (format!("embeddings.{name}_embeddings.weight"), vec![rows, size]))
            .to_vec();
        let mut norms = vec!["embeddings.LayerNorm".to_owned()];
        for layer in 0..layers {
            let linears = [
                ("attention.self.query", size, size),
                ("attention.self.key", size, size),
                ("attention.self.value", size, size),
                ("attention.output.dense", size, size),
                ("intermediate.dense", inner, size),
                ("output.dense", size, inner),
            ];
            for (part, outputs, inputs) in linears {
                shapes.push((format!("encoder.layer.{layer}.{part}.weight"), vec![outputs, inputs]));
                shapes.push((format!("encoder.layer.{layer}.{part}.bias"), vec![outputs]));
            }
            norms.extend(["attention.output", "output"].map(|part| format!("encoder.layer.{layer}.{part}.LayerNorm")));
        }
        shapes.extend(
            norms.iter().flat_map(|norm| ["weight", "bias"].map(|part| (format!("{norm}.{part}"), vec![size]))),
        );
        let fill = |(name, shape): (String, Vec<usize>)| {
            let values = (0..shape.iter().product()).map(|at| value(&name, at)).collect();
            (name, shape, values)
        };
        Self { config, tensors: shapes.into_iter().map(fill).collect() }
    }

    fn weights(&self) -> Vec<u8> {
        let mut table = Map::new();
        let mut data = Vec::new();
        for (name, shape, values) in &self.tensors {
            let from = data.len();
            data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            table.insert(name.clone(), json!({"dtype": "F32", "shape": shape, "data_offsets": [from, data.len()]}));
        }
        let table = Value::Object(table).to_string().into_bytes();
        [&(table.len() as u64).to_le_bytes(), &table[..], &data].concat()
    }

    fn read(&self) -> Result<Encoder, String> {
        let (config, weights) = (self.config.to_string(), self.weights());
        let files = ModelFiles {
            config: config.as_bytes(),
            weights: &weights,
            vocabulary: Some(VOCABULARY.as_bytes()),
            ..ModelFiles::default()
        };
        Encoder::load(&files).map_err(|error| error.to_string())
    }
}

/// Norms that only normalise, and zeros elsewhere.
fn plain(name: &str) -> f32 {
    f32::from(u8::from(name.ends_with("LayerNorm.weight")))
}

fn close(found: &[f32], wanted: &[f32], within: f32) {
    assert_eq!(found.len(), wanted.len());
    assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < within), "{found:?} is not {wanted:?}");
}

/// Two dimensions: a normalised row is (1, -1) or (-1, 1), so that everything can be worked out on paper.
///
/// `[CLS] red [SEP]` starts as the rows c = (1,-1), r = (-1,1), s = (1,-1). Queries and keys are 0: attention is the mean of the
/// values. Values are the first dimension in both places: each row gets (1-1+1)/3 = 1/3 in both. The output weight keeps only the
/// first: c = (4/3,-1), r = (-2/3,1), s = c; normalised again they are as before. The inner layer is gelu(3·first): gelu(3) = 2.99595
/// and gelu(-3) = -0.00405; its output goes to the second dimension: c = (1, 1.99595), r = (-1, 0.99595), s = c; normalised
/// c = (-1,1), r = (-1,1), s = (-1,1): their mean has the direction (-1,1)/√2.
#[test]
fn a_model_of_one_layer_gives_the_vector_worked_out_by_hand() {
    let toy = Toy::new(2, 1, 1, 1, &mut |name, at| match (name, at) {
        ("embeddings.word_embeddings.weight", at) => {
            [[0.0, 0.0], [0.0, 0.0], [2.0, 0.0], [3.0, 1.0], [0.0, 2.0], [5.0, 0.0]][at / 2][at % 2]
        }
        ("encoder.layer.0.attention.self.value.weight", 0 | 2)
        | ("encoder.layer.0.attention.output.dense.weight", 0) => 1.0,
        ("encoder.layer.0.intermediate.dense.weight", 0) => 3.0,
        ("encoder.layer.0.output.dense.weight", 1) => 1.0,
        (name, _) => plain(name),
    });
    let encoder = toy.read().unwrap();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    close(&encoder.encode(&["red"])[0], &[-half, half], 1e-5);
    // Without the inner layer the rows stay (1,-1), (-1,1), (1,-1): their mean has the direction (1,-1).
    let mut without = toy;
    without
        .tensors
        .iter_mut()
        .filter(|(name, ..)| name.contains("intermediate"))
        .for_each(|(_, _, values)| values.fill(0.0));
    close(&without.read().unwrap().encode(&["red"])[0], &[half, -half], 1e-5);
}

/// The same sums as [`super::bert`], written the plain way in 64 bits.
fn reference(toy: &Toy, ids: &[usize], size: usize, layers: usize, heads: usize) -> Vec<f64> {
    let tensor = |name: String| -> Vec<f64> {
        let found = toy.tensors.iter().find(|(known, ..)| *known == name).unwrap();
        found.2.iter().map(|value| f64::from(*value)).collect()
    };
    let linear = |name: String, rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let (weight, bias) = (tensor(format!("{name}.weight")), tensor(format!("{name}.bias")));
        let each = |row: &Vec<f64>| -> Vec<f64> {
            let inputs = row.len();
            (0..bias.len())
                .map(|out| bias[out] + (0..inputs).map(|i| row[i] * weight[out * inputs + i]).sum::<f64>())
                .collect()
        };
        rows.iter().map(each).collect()
    };
    let norm = |name: String, rows: &mut Vec<Vec<f64>>| {
        let (scale, shift) = (tensor(format!("{name}.weight")), tensor(format!("{name}.bias")));
        for row in rows {
            let mean = row.iter().sum::<f64>() / size as f64;
            let deviation = (row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / size as f64 + 1e-12).sqrt();
            row.iter_mut().enumerate().for_each(|(i, v)| *v = (*v - mean) / deviation * scale[i] + shift[i]);
        }
    };
    let add = |rows: &mut Vec<Vec<f64>>, more: Vec<Vec<f64>>| {
        rows.iter_mut().zip(more).for_each(|(row, more)| row.iter_mut().zip(more).for_each(|(a, b)| *a += b));
    };
    let (words, places, types) = (
        tensor("embeddings.word_embeddings.weight".into()),
        tensor("embeddings.position_embeddings.weight".into()),
        tensor("embeddings.token_type_embeddings.weight".into()),
    );
    let mut rows: Vec<Vec<f64>> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| (0..size).map(|i| words[id * size + i] + places[at * size + i] + types[i]).collect())
        .collect();
    norm("embeddings.LayerNorm".into(), &mut rows);
    let width = size / heads;
    for layer in 0..layers {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let [q, k, v] = ["query", "key", "value"].map(|part| linear(name(&format!("attention.self.{part}")), &rows));
        let mut mixed = vec![vec![0.0; size]; rows.len()];
        for head in 0..heads {
            let range = head * width..(head + 1) * width;
            for (at, out) in mixed.iter_mut().enumerate() {
                let scores: Vec<f64> = k
                    .iter()
                    .map(|k| (range.clone().map(|i| q[at][i] * k[i]).sum::<f64>() / (width as f64).sqrt()).exp())
                    .collect();
                let sum: f64 = scores.iter().sum();
                for i in range.clone() {
                    out[i] = v.iter().zip(&scores).map(|(v, score)| v[i] * score / sum).sum();
                }
            }
        }
        add(&mut rows, linear(name("attention.output.dense"), &mixed));
        norm(name("attention.output.LayerNorm"), &mut rows);
        let mut wide = linear(name("intermediate.dense"), &rows);
        wide.iter_mut()
            .flatten()
            .for_each(|x| *x *= 0.5 * (1.0 + f64::from(erf((*x / std::f64::consts::SQRT_2) as f32))));
        add(&mut rows, linear(name("output.dense"), &wide));
        norm(name("output.LayerNorm"), &mut rows);
    }
    let sum: Vec<f64> = (0..size).map(|i| rows.iter().map(|row| row[i]).sum()).collect();
    let length = sum.iter().map(|v| v * v).sum::<f64>().sqrt();
    sum.into_iter().map(|v| v / length).collect()
}

/// Random but always the same.
fn random() -> Toy {
    let mut state = 7_u64;
    Toy::new(12, 20, 3, 3, &mut |name, _| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        plain(name) + (state >> 40) as f32 / f32::from(u16::MAX) / 256.0 - 0.5
    })
}

#[test]
fn a_random_model_of_three_layers_and_heads_gives_what_plain_sums_give() {
    let toy = random();
    let encoder = toy.read().unwrap();
    for (text, ids) in [("red", vec![2, 4, 3]), ("Blue red green red", vec![2, 5, 4, 1, 4, 3]), ("", vec![2, 3])] {
        let wanted: Vec<f32> = reference(&toy, &ids, 12, 3, 3).into_iter().map(|value| value as f32).collect();
        close(&encoder.encode(&[text])[0], &wanted, 2e-5);
    }
}

#[test]
fn a_text_has_the_same_vector_alone_and_among_others() {
    let encoder = random().read().unwrap();
    let texts: Vec<String> = (0..200).map(|at| "red blue ".repeat(at % 9)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = encoder.encode(&texts);
    assert_eq!(together.len(), 200);
    for at in [0, 1, 8, 77, 199] {
        close(&together[at], &encoder.encode(&[texts[at]])[0], 1e-6);
    }
    assert_eq!(encoder.tokens_max, 16, "the model has 16 positions");
}

#[test]
fn a_model_that_does_not_fit_is_named_with_its_file() {
    let change = |key: &str, value: Value| {
        let mut toy = random();
        toy.config[key] = value;
        toy.read().unwrap_err()
    };
    assert_eq!(
        change("model_type", json!("roberta")),
        r#"config.json: model_type is "roberta"; only "bert" can be run"#
    );
    assert_eq!(
        change("num_attention_heads", json!(5)),
        "config.json: hidden_size 12 cannot be shared among 5 attention heads"
    );
    assert!(change("hidden_size", Value::Null).starts_with("config.json: "));
    assert_eq!(
        change("num_hidden_layers", json!(4)),
        "model.safetensors: has no tensor encoder.layer.3.attention.self.query.weight; it is not a BERT encoder"
    );
    assert!(
        change("intermediate_size", json!(21))
            .starts_with("model.safetensors: encoder.layer.0.intermediate.dense.weight has the shape [20, 12]")
    );
    assert_eq!(change("vocab_size", json!(5)), "vocab.txt: has ids beyond the 5 words of config.json");
    let mut toy = random();
    toy.tensors[0].2[3] = f32::NAN;
    assert_eq!(
        toy.read().unwrap_err(),
        "model.safetensors: embeddings.word_embeddings.weight holds a value that is not a number"
    );
    let nothing = Encoder::load(&ModelFiles { config: b"{}", ..ModelFiles::default() }).unwrap_err();
    assert_eq!(nothing.file, "config.json");
}

#[test]
fn the_key_changes_with_any_file() {
    let toy = random();
    let mut other = random();
    other.tensors[0].2[0] += 0.5;
    assert_eq!(toy.read().unwrap().key(), random().read().unwrap().key());
    assert_ne!(toy.read().unwrap().key(), other.read().unwrap().key());
}

#[test]
fn the_functions_are_right_to_six_digits() {
    for step in -860_i16..880 {
        let x = f32::from(step) / 10.0;
        let wanted = f64::from(x).exp();
        assert!((f64::from(exp(x)) / wanted - 1.0).abs() < 1e-6, "exp({x})");
    }
    for (x, wanted) in [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (-2.0, -0.995_322_3), (6.0, 1.0)] {
        assert!((erf(x) - wanted).abs() < 3e-7, "erf({x})");
    }
}
