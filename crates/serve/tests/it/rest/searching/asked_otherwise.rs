//! Verbs of an order, values behind the kind or a comma, languages of texts, and kinds at the end of what shall be done.
//! `docs/api.md#search`.

use super::reading::understanding::bench;
use super::reading::wording::check;
use serde_json::json;

#[tokio::test]
async fn a_value_behind_the_word_for_the_kind_is_no_second_word_for_it() {
    let open = json!({"input_modalities": "image", "open_weights": "true"});
    check(&bench(), &[("vision model open weights", open.clone()), ("open weights vision model", open)]).await;
}
