#!/usr/bin/env python3
"""Makes docs/limits.md of the settings and constants that bound something, and holds it to them. Standard library only.

    scripts/limits.py             fails when the page is not what the code says, or a limit has no test that goes beyond it
    scripts/limits.py --write     writes the page

A limit is a setting or a constant whose name ends in _MAX, _MIN or _TIMEOUT; what it bounds is its description there. What happens beyond it
and the test that goes beyond it stand in BEYOND here. What ends so and is no limit stands in NO_LIMITS or ELSEWHERE, with its reason.
"""
import argparse, os, re, sys

from claims import read, sources
from desk import ROOT
from page import table, write

PAGE = os.path.join(ROOT, "docs", "limits.md")
# Folders and files whose constants bound no body, list, queue, cache or time; why. What a question may cost is bounded by its own length
# (QUERY_CHARS_MAX) and by the time and number of requests.
ELSEWHERE = {
    "route/": "ranking: how much of a question of at most QUERY_CHARS_MAX is looked at",
    "search/": "ranking: how much of a question of at most QUERY_CHARS_MAX is looked at",
    "embed/": "ranking: how much of a text the model reads",
    "catalog/semantic/": "ranking: how much of a text the model reads",
    "catalog/resolve/group/": "rules of which facts are one item",
    "catalog/resolve/server/": "rules of whose entry of a server speaks first",
    "catalog/resolve/keys.rs": "rules of which spelling wins",
    "catalog/resolve/model/": "rules of which facts are one item",
    "catalog/resolve/price/": "rules of which price is believed",
    "ingest/lint": "a tool for authors of cards, over their own folder",
    "lab/": "tools of the project",
    "refdesk/commands/evaluate/": "tools of the project that measure ranking",
}
# Names that end as a limit does and bound nothing that anybody can make large; why.
NO_LIMITS = {
    "ingest/src/connectors/formats/yaml/by_entry.rs ITEM_NODES_MIN": "what a short item may hold at least; NODES_MAX bounds the list",
    "serve/src/pages/items/text.rs EDITIONS_MAX": "form of a page: how many other editions it links to",
    "catalog/src/understand/amounts/limit/mod.rs VERSION_MAX": "which bare numbers are versions of what is named before them",
    "ingest/src/fetch/token.rs PASTED_CHARS_MIN": "which texts look like a token that was pasted",
    "catalog/src/answer/search/mod.rs SUGGEST_WORDS_MAX": "which texts are names that may be misspelt",
    "catalog/src/understand/things/comparison.rs COMPARED_MAX": "form of a comparison",
    "catalog/src/answer/search/words.rs LEFT_OUT_MAX": "of how many items with a name that is not wanted a search leaves out the best",
    "core/src/text/clean.rs QUOTED_CHARS_MAX": "form of a message",
    "catalog/src/understand/things/relation.rs NAME_WORDS_MAX": "form of a name in a question",
    "catalog/src/understand/things/about.rs NAME_WORDS_MAX": "form of a name in a question",
    "catalog/src/understand/things/about.rs BEFORE_VERB_MAX": "form of a question",
    "catalog/src/understand/things/about.rs SELLER_WORDS_MAX": "form of the name of a seller",
    "catalog/src/understand/things/line/by_word.rs LETTERS_MIN": "which words of families name a line alone",
    "catalog/src/understand/things/successor.rs VERSION_MAX": "which numbers of a name are its version",
    "catalog/src/segment/indexed_text/brand.rs BEGINNING_CHARS_MIN": "which names of servers are a part of their maker's",
    "catalog/src/answer/search/manual.rs COMPOUND_CHARS_MIN": "which questions a page of the manual can answer",
    "catalog/src/answer/search/placed.rs SNAPSHOTS_TOLD_MAX": "how many snapshots stand beside a model whose status is asked for",
    "catalog/src/understand/amounts/limit/mod.rs PRICE_OF_TOKEN_MAX": "which prices are of one token",
    "catalog/src/understand/amounts/number.rs MIL_MAX": "which numbers are meant in millions",
    "catalog/src/understand/amounts/sellers.rs COUNT_MAX": "which numbers are a number of sellers",
    "catalog/src/understand/things/called.rs PART_CHARS_MIN": "which ends of names name a model",
    "catalog/src/understand/things/beyond.rs FAMILY_WORDS_MAX": "form of the name of a family",
    "catalog/src/understand/things/line/mod.rs NAME_WORDS_MAX": "form of the name of a line of models",
    "catalog/src/understand/mod.rs WORDS_MAX": "a longer text is no question",
    "catalog/src/understand/values/mod.rs VALUE_WORDS_MAX": "form of a value",
    "catalog/src/understand/amounts/left_over.rs COMPARISON_WORDS_MAX": "form of a comparison with a number",
    "catalog/src/understand/spelling.rs LETTERS_MIN": "which words may be misspelt ones of an order or a limit",
    "catalog/src/understand/spelling.rs ITEMS_MIN": "which words are none that are misspelt",
    "catalog/src/understand/translation/compound.rs PART_BYTES_MIN": "form of a compound",
    "catalog/src/understand/translation/compound.rs ENDING_BYTES_MAX": "form of a part of a compound",
    "catalog/src/understand/dates/mod.rs EVENT_WORDS_MAX": "form of what happens on a day",
    "catalog/src/understand/amounts/range.rs RANGE_WORDS_MAX": "form of a range",
    "catalog/src/understand/things/comparison.rs NAME_WORDS_MAX": "form of a name in a comparison",
    "catalog/src/understand/kinds/mod.rs BEFORE_HEAD_MAX": "form of what is asked for",
    "catalog/src/understand/needs/need.rs WORDS_MIN": "which texts are sentences",
    "catalog/src/understand/needs/need.rs WORDS_WITH_VERB_MIN": "which texts are sentences",
    "catalog/src/understand/vocabulary/mod.rs NAME_WORDS_MAX": "form of a name in a question",
    "catalog/src/understand/reading/negations.rs NEGATION_WORDS_MAX": "form of an exception",
    "catalog/src/understand/reading/negations.rs LISTED_WORDS_MAX": "form of a part of a list",
    "catalog/src/understand/dates/state.rs MAKER_WORDS_MAX": "form of the name of a maker",
    "catalog/src/understand/order/before_kind.rs MAKER_WORDS_MAX": "form of the name of a maker",
    "catalog/src/understand/amounts/limit/negated.rs VERB_WORDS_MAX": "form of a negated verb",
    "catalog/src/understand/things/dated.rs CUTOFF_WORDS_MAX": "form of the name of a measure",
    "catalog/src/understand/needs/need.rs MEANS_WORDS_MAX": "form of the means of a deed",
    "ingest/src/connectors/repository/literal_secret.rs FORM_CHARS_MIN": "form of a secret",
    "ingest/src/connectors/repository/literal_secret.rs CORE_CHARS_MIN": "form of a secret",
    "ingest/src/connectors/repository/literal_secret.rs RANDOM_CHARS_MIN": "form of a secret",
    "ingest/src/connectors/repository/literal_secret.rs RANDOM_EACH_MIN": "form of a secret",
    "ingest/src/connectors/mod.rs ARCHIVE_BODY_BYTES_MAX": "no bound of its own: the setting body_bytes_max is",
    "ingest/src/connectors/repository/public_url.rs PREFIX_SEGMENTS_MAX": "form of the address of a mirror",
    "ingest/src/connectors/formats/rst.rs ADORNMENT_CHARS_MIN": "form of a heading",
    "ingest/src/generation/disk.rs DELETE_TRIES_MAX": "pacing: how often a folder is deleted into which a server writes",
    "ingest/src/schedule.rs TICK_MAX": "pacing: how often is looked",
    "ingest/src/schedule.rs TICK_MIN": "pacing: how often is looked",
    "ingest/src/schedule.rs JITTER_MAX": "pacing: how far starts are spread",
    "ingest/src/store/write/changes.rs WAITING_MAX": "pacing: how many changed facts one statement writes",
    "ingest/src/store/write/new_facts.rs WAITING_MAX": "pacing: how many new facts one statement writes",
    "ingest/src/store/postgres/mod.rs LIFETIME_MAX": "pacing: how soon connections move on after a failover",
    "ingest/src/store/postgres/mod.rs IDLE_TIMEOUT": "pacing: when an unused connection is closed",
    "ingest/src/store/read/mod.rs PARSE_TASKS_MAX": "pacing: the reader parses no further ahead",
    "refdesk/src/background/look.rs LOOK_MIN": "pacing: how often is looked",
    "refdesk/src/cluster/candidate/aside.rs WAIT_MIN": "pacing: how soon a node whose disk failed may lead again",
    "refdesk/src/cluster/candidate/aside.rs WAIT_MAX": "pacing: how soon a node whose disk fails again and again may lead again",
    "serve/src/state/generation.rs RETIRE_LOOKS_MAX": "pacing: how long a retired generation waits for its last reader before another thread frees it",
    "serve/src/routes.rs SHORT_QUERY_BYTES_MAX": "pacing: which threads answer a question",
    "serve/src/server/mod.rs HEAD_BUFFER_BYTES_MIN": "the least that hyper takes",
    "catalog/src/answer/resolution/offered.rs FRONTS_MAX": "form of the id of an offer",
    "catalog/src/answer/resolution/mod.rs CANDIDATES_MAX": "how many other meanings of a name are told",
    "ingest/src/schedule.rs UNREACHED_WAIT_MAX": "pacing: how long sources that were not reached are collected for one line of the log",
    "ingest/src/sync/report.rs UNREACHED_NAMED_MAX": "how many of them the line names",
    "refdesk/src/complete.rs IDS_MAX": "form of a completion: more ids than a terminal shows",
    "refdesk/src/output/mod.rs WIDTH_MIN": "form of a table: the narrowest terminal that is believed",
    "refdesk/src/output/mod.rs PROSE_MAX": "form of a text: where its lines are folded",
    "refdesk/src/output/table.rs CUT_MIN": "form of a table: the narrowest column",
    "refdesk/src/output/table.rs FOLD_MIN": "form of a table: the narrowest column of a text",
    "catalog/src/answer/conflicts.rs PATH_CHARS_MAX": "how much of an unknown path is compared with known ones",
    "catalog/src/snapshot/near.rs HITS_MAX": "how many hits are looked at for a near id",
    "refdesk/src/view/questions.rs SAID_WIDTH_MIN": "form of a table: the narrowest column of a value",
    "serve/src/pages/items/install/client_name.rs CHARS_MAX": "form of a name in the settings of a client",
    "refdesk/src/view/questions.rs ITEM_WIDTH_MIN": "form of a table: the narrowest column of a compared item; the others follow below",
    "refdesk/src/view/detail.rs SHORT_CHARS_MAX": "form of a list: what stands among others on a line",
    "refdesk/src/view/one_line.rs LINE_CHARS_MAX": "form of a line: how much it shows of a text or a list without names",
    "refdesk/src/view/one_line.rs NESTED_CHARS_MAX": "form of a line: how much it shows of an entry beside the names in it",
    "refdesk/src/view/one_line.rs TEXT_CHARS_MAX": "form of a line: how much it shows of a text among others",
    "refdesk/src/view/questions.rs CELL_CHARS_MAX": "how much of a value a cell of a table shows",
    "rate_limit_on_failure": "what becomes of requests while Redis does not answer",
    "compress_from_bytes": "a saving: shorter answers go out as they are",
    "sync_jitter_percent": "pacing: how far starts are spread",
}
CONSTANT = re.compile(r"((?:^[ \t]*///[^\n]*\n)+)(?:^[ \t]*#\[[^\n]*\n)*^[ \t]*(?:pub(?:\([a-z]+\))? )?const ([A-Z0-9_]+(?:_MAX|_MIN|_TIMEOUT)): ([^=]+) = ([^;]+);", re.M)
NAMED = re.compile(r"^[ \t]*(?:pub(?:\([a-z:]+\))? )?const ([A-Z0-9_]+(?:_MAX|_MIN|_TIMEOUT)):", re.M)
SETTING = re.compile(r"^\| `([a-z_]+)` \| `[A-Z_]+` \| `[^`]*` \| ([^|]*) \| ([^|]*) \|$", re.M)
BOUNDS = re.compile(r"_max$|_timeout$|_bytes$|^rate_limit|^write_|^drain$|grace$|^sync_|percent_max|_min$|^work_threads$")
# Name of a setting, or file and name of a constant: what happens beyond it, and the test that goes there.
BEYOND = {
    "serve/src/api/catalog.rs WARNINGS_BYTES_MAX": ("later warnings are left out", "a_table_tells_its_warnings_in_a_header"),
    "catalog/src/listing/unknown_values.rs UNKNOWN_VALUES_MAX": ("only the first are reported", "a_value_that_nothing_has_is_told_with_the_nearest"),
    "serve/src/mcp/tools/projection/mod.rs ROW_METERS_MAX": ("the item has the others", "a_row_tells_what_tokens_cost_or_the_first_other_meter_and_whose_prices_they_are"),
    "catalog/src/collections.rs COLLECTION_ID_CHARS_MAX": ("the configuration is refused, with the length", "a_wrong_definition_says_what_to_mend"),
    # The command line and the running desk.
    "refdesk/src/service/client.rs PROOF_TIMEOUT": ("the command reads the catalog itself", "a_desk_that_does_not_keep_to_the_bounds_is_left_and_the_store_is_read"),
    "refdesk/src/service/client.rs ANSWER_TIMEOUT": ("the command reads the catalog itself", "a_desk_that_does_not_keep_to_the_bounds_is_left_and_the_store_is_read"),
    "refdesk/src/client/in_process.rs TARGET_BYTES_MAX": ("the command refuses and says how much is read", "what_no_request_can_hold_is_refused_and_what_one_can_is_answered"),
    "refdesk/src/commands/mcp.rs CONNECT_TIMEOUT": ("the client gets the error that no desk answers", "a_service_that_does_not_answer_is_given_up"),
    "refdesk/src/commands/mcp.rs ANSWER_TIMEOUT": ("the client gets the error that no desk answers", "a_service_that_does_not_answer_is_given_up"),
    "refdesk/src/service/client.rs ENDPOINT_BYTES_MAX": ("the command reads the catalog itself", "a_desk_that_does_not_keep_to_the_bounds_is_left_and_the_store_is_read"),
    "refdesk/src/service/client.rs ANSWER_BYTES_MAX": ("the command reads the catalog itself; a client of `mcp --url` gets an error", "a_desk_that_does_not_keep_to_the_bounds_is_left_and_the_store_is_read"),
    "serve/src/middleware/request_context.rs USER_AGENT_CHARS_MAX": ("the access log cuts it and says so with `…`", "the_access_log_names_caller_bytes_and_client_where_the_setting_says_so_and_never_what_was_asked"),
    # Lists and questions.
    "export_rows_max": ("the last line says how many rows were left out", "an_export_ends_where_the_operator_says_and_tells_so"),
    "catalog/src/listing/mod.rs LIST_MATCHES_MAX": ("the best matches are listed, and a warning says so", "more_matches_than_a_list_takes_are_told"),
    "core/src/query/questions.rs RESOLVED_MAX": ("400 that names the bound", "a_spelling_is_resolved_whatever_it_is"),
    "core/src/query/questions.rs TOKENS_MAX": ("400 that names the bound", "wrong_numbers_are_refused"),
    "core/src/query/selection.rs FILTERS_MAX": ("400 that names the bound", "more_of_anything_than_a_list_takes_is_refused"),
    "core/src/query/values.rs VALUES_MAX": ("400 that names the bound", "more_of_anything_than_a_list_takes_is_refused"),
    "core/src/query/selection.rs SORT_KEYS_MAX": ("400 that names the bound", "more_of_anything_than_a_list_takes_is_refused"),
    "core/src/query/selection.rs FACETS_MAX": ("400 that names the bound", "more_of_anything_than_a_list_takes_is_refused"),
    "core/src/query/selection.rs PATHS_MAX": ("400 that names the bound", "more_of_anything_than_a_list_takes_is_refused"),
    # Settings: clients.
    "connections_max": ("the connection that has been idle longest is closed; without one, the oldest unfinished request of the address that has most", "beyond_the_connections_the_longest_idle_goes"),
    "unfinished_per_address_max": ("the address loses its oldest unfinished request", "unfinished_bodies_hold_no_room_and_beyond_the_bound_the_oldest_goes"),
    "bodies_bytes_max": ("the oldest unfinished request of the client that sends most is closed", "bodies_in_memory_have_a_bound_together"),
    "requests_in_flight_max": ("503 `busy`; probes and metrics are exempt", "beyond_the_requests_in_flight_503_comes_at_once"),
    "database_timeout": ("the call fails with `store_slow` and its connection is closed; a full text is a 500 `document_store_unavailable`", "a_server_that_swallows_everything_holds_no_call_up_and_is_used_again_when_it_answers"),
    "request_timeout": ("503 `busy`", "a_request_that_takes_too_long_ends_with_503"),
    "header_timeout": ("408 when a request has begun, else the connection is closed", "late_headers_are_told_and_silence_is_not"),
    "body_timeout": ("408", "a_body_that_does_not_come_is_a_408_after_body_timeout"),
    "write_timeout": ("the connection is closed", "a_client_that_never_reads_its_answers_is_cut_off"),
    "shutdown_grace": ("running requests are cut off", "a_shutdown_does_not_wait_for_ever"),
    "drain": ("connections are no longer accepted", "at_shutdown_clients_with_open_connections_lose_no_request"),
    "rate_limit_anon": ("429 with `Retry-After`", "the_call_over_the_limit_is_429_and_told_when_to_come_back"),
    "rate_limit_key": ("429 with `Retry-After`", "a_key_has_its_own_limit_and_does_not_use_up_the_address"),
    "redis_timeout": ("the request is decided without Redis", "after_three_failures_in_a_row_nobody_waits_for_redis_and_when_it_answers_again_it_counts"),
    "serve/src/state/rate_counter/shared.rs FAILURES_MAX": ("requests are decided without Redis until it answers", "after_three_failures_in_a_row_nobody_waits_for_redis_and_when_it_answers_again_it_counts"),
    "serve/src/state/rate_counter/shared.rs LINK_TIMEOUT": ("it is tried again after a second", "a_server_that_cannot_count_is_told_and_each_node_counts_by_itself"),
    "serve/src/state/rate_counter/settings.rs DEPLOYMENT_CHARS_MAX": ("the setting is refused, with the required form", "settings_that_cannot_work_are_told_without_the_password"),
    "rate_limit_addresses_max": ("the oldest are dropped", "a_flood_of_addresses_stays_within_the_bound_and_drops_the_oldest"),
    "encoded_cache_bytes": ("entries that were not requested again are dropped", "bodies_are_kept_within_their_bytes_the_key_among_them"),
    "detail_cache_bytes": ("entries that were not requested again are dropped", "what_is_asked_for_again_and_again_outlives_what_was_asked_for_once"),
    "page_cache_bytes": ("entries that were not requested again are dropped", "texts_are_kept_within_their_bytes"),
    "work_threads": ("costly requests wait for a thread; look-ups go on", "look_ups_go_on_while_pages_are_made"),
    "mcp_body_bytes_max": ("413; on stdio the line is dropped with an error", "http_statuses_are_those_of_the_specification"),
    "mcp_prompts_max": ("the list ends; get_framework and the search of frameworks reach the rest", "the_list_of_prompts_ends_at_its_limit"),
    "mcp_resources_max": ("the list ends; templates and the search reach the rest", "the_list_of_resources_ends_at_its_limit"),
    # Settings: upstreams.
    "sync_concurrency": ("further sources wait for their turn", "no_more_sources_are_synced_at_once_than_the_setting_says"),
    "sync_time_max": ("the sync is given up as `sync_timeout`; the last good facts stay", "a_scheduled_sync_that_takes_too_long_is_given_up_and_told"),
    "sync_memory_max": ("the sync ends with `too_large`; the source keeps its facts", "a_sync_never_takes_more_memory_than_the_setting_leaves_to_one_source"),
    "import_bytes_max": ("the archive is refused; nothing is imported", "an_archive_that_comes_is_refused_when_it_is_too_large_and_at_once_when_it_is_none"),
    "disk_free_bytes_min": ("`/health` is degraded and says to make room", "a_disk_with_less_room_than_the_setting_is_told"),
    "connect_timeout": ("the request fails and is tried again", "a_connection_that_is_not_made_in_time_is_a_failure"),
    "read_timeout": ("the request fails and is tried again", "a_slow_upstream_runs_into_the_read_and_the_total_timeout"),
    "total_timeout": ("the request fails and is tried again", "a_slow_upstream_runs_into_the_read_and_the_total_timeout"),
    "body_bytes_max": ("the sync ends with `too_large`", "coded_bodies_are_decoded_and_the_cap_counts_decoded_bytes"),
    "pass_bytes_max": ("the sync ends with `too_large`", "a_pass_that_needs_too_many_requests_or_bytes_fails_and_says_which_setting"),
    "pass_requests_max": ("the sync ends with `too_large`", "a_pass_that_needs_too_many_requests_or_bytes_fails_and_says_which_setting"),
    "pass_timeout": ("the sync ends with `timeout`", "a_sync_that_only_takes_time_ends_and_leaves_others_their_turn"),
    "retries_max": ("the sync fails with the last error", "a_status_other_than_200_is_an_error_and_only_transient_ones_are_tried_again"),
    "retry_wait_max": ("the wait grows no more", "waits_grow_are_capped_and_give_up_when_too_much_is_asked"),
    "retry_after_max": ("the sync fails, and the source is due when it asked to be", "retry_after_is_waited_for_or_handed_on_when_it_asks_too_much"),
    "redirects_max": ("the sync ends with `redirect`", "redirects_are_followed_within_the_origin_and_counted"),
    "additions_percent_max": ("quarantined as `mass_addition`", "how_much_may_come_is_a_setting_and_grows_with_the_time_without_a_good_sync"),
    "removals_percent_max": ("quarantined as a mass removal", "the_share_that_may_go_is_a_setting"),
    # The core: texts, questions, answers.
    "core/src/fact/reject.rs REJECT_EXCERPT_CHARS_MAX": ("it is cut", "key_reason_and_excerpt_of_a_reject_are_cut"),
    "core/src/fact/reject.rs REJECT_KEY_BYTES_MAX": ("it is cut", "key_reason_and_excerpt_of_a_reject_are_cut"),
    "core/src/fact/reject.rs REJECT_REASON_CHARS_MAX": ("it is cut", "key_reason_and_excerpt_of_a_reject_are_cut"),
    "core/src/query/mod.rs QUERY_CHARS_MAX": ("only the first are searched for, and a warning says so", "wrong_values_are_400_and_a_wrong_domain_lists_the_domains"),
    "core/src/query/mod.rs WARNINGS_MAX": ("one more says that there were more", "parameters_by_the_thousand_are_read_and_named_once"),
    "catalog/src/resolve/urls.rs REJECTED_URLS_MAX": ("the others are left out", "rejected_addresses_are_cut_and_their_list_ends"),
    "catalog/src/resolve/urls.rs REJECTED_URL_CHARS_MAX": ("it is cut", "rejected_addresses_are_cut_and_their_list_ends"),
    "core/src/slug.rs ID_CHARS_MAX": ("an id that is made is cut; a longer text is no id", "an_id_is_never_longer_than_the_limit"),
    "catalog/src/answer/mod.rs SUGGESTIONS_MAX": ("the others are left out", "no_more_names_are_suggested_than_the_limit"),
    "catalog/src/answer/mod.rs SNIPPET_CHARS_MAX": ("it is cut", "texts_of_a_hit_are_cut_and_show_that_they_are"),
    "catalog/src/segment/mod.rs PASSAGE_CHARS_MAX": ("the rest is found, and shows no snippet", "snippets_come_from_the_beginning_of_a_long_text"),
    "catalog/src/segment/render/mod.rs HIT_SUMMARY_CHARS_MAX": ("it is cut", "texts_of_a_hit_are_cut_and_show_that_they_are"),
    "core/src/text/mod.rs HEADING_BYTES_MAX": ("the line is left as it is", "attributes_of_a_line_that_is_longer_than_any_heading_are_left_in_it"),
    "core/src/time.rs CLOCK_AHEAD_SECS_MAX": ("the time is treated as absent and the fact is stale", "a_clock_that_was_ten_years_ahead_for_a_while_leaves_nothing_behind"),
    "core/src/text/mdx/literal.rs LITERAL_NESTING_MAX": ("the attribute is not read", "what_is_beyond_the_bounds_of_mdx_stays_as_it_is_written"),
    "core/src/text/mdx/scan.rs MDX_NESTING_MAX": ("the outermost stay as they are written", "what_is_beyond_the_bounds_of_mdx_stays_as_it_is_written"),
    "core/src/text/mdx/statement.rs STATEMENT_BYTES_MAX": ("it stays as it is written", "what_is_beyond_the_bounds_of_mdx_stays_as_it_is_written"),
    "core/src/text/mdx/tag.rs MDX_TAG_BYTES_MAX": ("it stays as it is written", "what_is_beyond_the_bounds_of_mdx_stays_as_it_is_written"),
    "core/src/text/within.rs PARSED_BYTES_MAX": ("the page is the text in `<pre>` with a note; headings and search take what lies within", "a_text_beyond_the_caps_is_shown_as_it_was_written_with_a_note"),
    "core/src/text/within.rs NESTING_MAX": ("the page is the text in `<pre>` with a note", "a_text_beyond_the_caps_is_shown_as_it_was_written_with_a_note"),
    # Archives.
    "ingest/src/archive/mod.rs CHUNKS_WAITING_MAX": ("the reader waits for the writer", "an_import_has_every_fact_record_body_reject_run_and_state_of_the_export"),
    "ingest/src/archive/import.rs MANIFEST_BYTES_MAX": ("the archive is refused; nothing is imported", "an_archive_that_comes_is_refused_when_it_is_too_large_and_at_once_when_it_is_none"),
    "ingest/src/archive/mod.rs LIST_BYTES_MAX": ("the archive is refused; nothing is imported", "an_archive_that_holds_more_than_is_read_changes_nothing"),
    "ingest/src/archive/mod.rs ENTRIES_MAX": ("the archive is refused; nothing is imported", "an_archive_that_holds_more_than_is_read_changes_nothing"),
    "ingest/src/archive/import.rs PADDING_BYTES_MAX": ("the archive is refused; nothing is imported", "what_follows_the_end_of_an_archive_is_read_up_to_a_limit"),
    # Sources and what they send.
    "ingest/src/config.rs INTERVAL_MIN": ("the configuration is refused", "an_id_of_a_source_that_is_too_long_or_an_interval_that_is_too_short_is_refused"),
    "ingest/src/config.rs SOURCE_ID_CHARS_MAX": ("the configuration is refused", "an_id_of_a_source_that_is_too_long_or_an_interval_that_is_too_short_is_refused"),
    "ingest/src/connectors/mcp/composio.rs PAGES_MAX": ("the sync fails: the paging does not end", "a_listing_that_does_not_end_is_an_error"),
    "ingest/src/connectors/mcp/docker_mcp/tools.rs LIST_BYTES_MAX": ("the list becomes a reject; the server stays", "sections_that_nest_too_deep_are_counted_and_a_long_list_of_tools_is_a_reject"),
    "ingest/src/connectors/formats/headings.rs HEADINGS_MAX": ("the others are left out", "what_a_page_says_of_itself_is_cut_and_its_headings_end"),
    "ingest/src/connectors/documents/hf_cookbook.rs DEPTH_MAX": ("the pages below are left out and counted", "sections_that_nest_too_deep_are_counted_and_a_long_list_of_tools_is_a_reject"),
    "ingest/src/connectors/formats/json_text/mod.rs KEY_BYTES_MAX": ("the record becomes a reject; the others are unaffected", "a_record_that_is_too_much_is_a_reject_and_the_others_stand"),
    "ingest/src/connectors/formats/json_text/mod.rs RECORDS_MAX": ("the sync fails and says so", "a_json_body_beyond_a_limit_says_which_one"),
    "ingest/src/connectors/formats/json_text/mod.rs CURSOR_BYTES_MAX": ("the sync fails and says so", "a_json_body_beyond_a_limit_says_which_one"),
    "ingest/src/connectors/formats/json_text/record.rs RECORD_BYTES_MAX": ("the record becomes a reject; the others are unaffected", "a_record_that_is_too_much_is_a_reject_and_the_others_stand"),
    "ingest/src/connectors/formats/json_text/record.rs RECORD_VALUES_MAX": ("the record becomes a reject; the others are unaffected", "a_json_body_beyond_a_limit_says_which_one"),
    "ingest/src/connectors/kept.rs ITEMS_MAX": ("the sync ends with `too_large`; the source keeps its facts", "a_list_of_facts_or_rejects_takes_no_more_than_its_bound"),
    "ingest/src/connectors/repository/license/mod.rs FILE_BYTES_MAX": ("the licence is `unreadable`: body and record are withheld", "a_licence_that_is_too_long_is_unreadable_and_its_name_is_cut"),
    "ingest/src/connectors/repository/license/stated.rs NAME_CHARS_MAX": ("it is cut", "a_licence_that_is_too_long_is_unreadable_and_its_name_is_cut"),
    "ingest/src/connectors/documents/llms_txt.rs PAGES_MAX": ("each further page is a reject", "an_index_of_pages_or_skills_is_followed_up_to_its_limit"),
    "ingest/src/connectors/documents/llms_txt.rs IN_FLIGHT_MAX": ("the others wait", "an_index_of_pages_or_skills_is_followed_up_to_its_limit"),
    "ingest/src/connectors/documents/llms_txt.rs SUMMARY_CHARS_MAX": ("it is cut", "an_index_of_pages_or_skills_is_followed_up_to_its_limit"),
    "ingest/src/connectors/mcp/mcp_registry/mod.rs PAGES_MAX": ("the sync fails: the paging does not end", "a_listing_that_does_not_end_is_an_error"),
    "ingest/src/connectors/mcp/mcp_registry/mod.rs VERSIONS_MAX": ("each further version is a reject", "versions_of_a_server_beyond_the_limit_are_rejects"),
    "ingest/src/connectors/mod.rs RECORDS_BODY_BYTES_MAX": ("the sync ends with `too_large`", "a_body_beyond_the_bound_of_its_connector_is_not_read"),
    "ingest/src/connectors/mod.rs LINES_BODY_BYTES_MAX": ("the sync ends with `too_large`", "a_body_beyond_the_bound_of_its_connector_is_not_read"),
    "ingest/src/connectors/formats/page.rs HTML_TITLE_LINES_MAX": ("it is text like any other", "a_title_may_be_html_if_it_stands_before_all_of_markdown"),
    "ingest/src/connectors/formats/page.rs TITLE_CHARS_MAX": ("it is cut", "what_a_page_says_of_itself_is_cut_and_its_headings_end"),
    "ingest/src/connectors/formats/page.rs SUMMARY_CHARS_MAX": ("it is cut", "what_a_page_says_of_itself_is_cut_and_its_headings_end"),
    "ingest/src/connectors/frameworks/patterns_repo.rs SUMMARY_CHARS_MAX": ("it is cut", "files_of_a_skill_and_steps_and_summary_of_a_prompt_end_at_their_limits"),
    "ingest/src/connectors/frameworks/patterns_repo.rs STEPS_MAX": ("the others are left out; the prompt has them", "files_of_a_skill_and_steps_and_summary_of_a_prompt_end_at_their_limits"),
    "ingest/src/connectors/skills/skills_repo.rs FILES_MAX": ("the others are left out", "files_of_a_skill_and_steps_and_summary_of_a_prompt_end_at_their_limits"),
    "ingest/src/connectors/skills/skills_wellknown.rs SKILLS_MAX": ("the sync fails and says so", "an_index_of_pages_or_skills_is_followed_up_to_its_limit"),
    "ingest/src/connectors/formats/tarball.rs ENTRIES_MAX": ("the sync ends with `too_large`", "an_archive_beyond_a_limit_is_too_large"),
    "ingest/src/connectors/formats/tarball.rs UNPACKED_BYTES_MAX": ("the sync ends with `too_large`", "an_archive_beyond_a_limit_is_too_large"),
    "ingest/src/connectors/formats/tarball.rs NAMES_BYTES_MAX": ("the sync ends with `too_large`", "names_of_any_length_in_an_archive_cost_no_memory"),
    "ingest/src/connectors/formats/tarball.rs PATH_BYTES_MAX": ("the file is left out and counted", "names_of_any_length_in_an_archive_cost_no_memory"),
    "ingest/src/connectors/formats/tree.rs FILE_BYTES_MAX": ("the file becomes a reject; the others are unaffected", "a_file_of_an_archive_that_is_too_large_is_a_reject_and_the_others_stand"),
    "ingest/src/connectors/formats/tree.rs KEPT_BYTES_MAX": ("the sync ends with `too_large`", "an_archive_beyond_a_limit_is_too_large"),
    "ingest/src/connectors/formats/tree.rs HEADER_BYTES_MAX": ("the rest is not read; the commit is unknown", "a_commit_is_looked_for_in_the_beginning_of_a_header"),
    "ingest/src/connectors/formats/yaml/mod.rs DEPTH_MAX": ("the text is not read as YAML; the error names the line", "a_yaml_text_beyond_a_limit_is_an_error_that_names_the_line"),
    "ingest/src/connectors/formats/yaml/mod.rs NODES_MAX": ("the text is not read as YAML; the error names the line", "a_yaml_text_beyond_a_limit_is_an_error_that_names_the_line"),
    "ingest/src/connectors/formats/yaml/mod.rs TEXT_BYTES_MAX": ("the text is not read as YAML; the error says why", "a_yaml_text_beyond_a_limit_is_an_error_that_names_the_line"),
    "ingest/src/connectors/formats/yaml/mod.rs MESSAGE_CHARS_MAX": ("it is cut", "a_yaml_text_beyond_a_limit_is_an_error_that_names_the_line"),
    "ingest/src/duration.rs DAYS_MAX": ("the configuration is refused", "what_is_no_duration_says_what_to_write"),
    "ingest/src/fetch/http.rs VALIDATOR_CHARS_MAX": ("it is not kept; the next sync asks without it", "a_validator_that_is_too_long_is_not_kept"),
    "ingest/src/fetch/local.rs FILES_MAX": ("the sync fails and says so", "a_folder_of_too_many_files_is_not_read"),
    "ingest/src/keys.rs NAME_CHARS_MAX": ("the key is not made", "a_key_with_too_long_a_name_is_not_made"),
    "ingest/src/memory_budget.rs SYNC_MEMORY_MAX": ("as `sync_memory_max`", "a_sync_never_takes_more_memory_than_the_setting_leaves_to_one_source"),
    "ingest/src/sync/options.rs SYNC_TIME_MAX": ("as `sync_time_max`", "a_scheduled_sync_that_takes_too_long_is_given_up_and_told"),
    # The store.
    "ingest/src/store/mod.rs RUNS_MAX": ("the oldest run is dropped", "runs_and_states_are_kept_newest_first_and_up_to_a_limit"),
    "ingest/src/store/pack.rs CONTENT_BYTES_MAX": ("the content is damaged, and no memory is taken for it", "a_content_that_states_too_great_a_length_is_damaged_and_takes_no_memory"),
    "ingest/src/store/api_keys.rs USE_AHEAD_SECS_MAX": ("the new use counts", "a_use_of_a_key_that_a_wrong_clock_noted_gives_way"),
    "ingest/src/store/sqlite/mod.rs BUSY_TIMEOUT": ("the write fails with `store_busy`", "a_writer_waits_for_a_lock_and_for_a_connection_no_longer_than_it_should"),
    "ingest/src/store/sqlite/mod.rs ACQUIRE_TIMEOUT": ("the write fails", "a_writer_waits_for_a_lock_and_for_a_connection_no_longer_than_it_should"),
    "ingest/src/store/sqlite/mod.rs READERS_MAX": ("further readers wait", "readers_beyond_their_number_wait_and_all_are_answered"),
    "ingest/src/store/cluster/requests.rs SYNC_REQUESTS_MAX": ("the oldest that is done is dropped", "requests_for_syncs_wait_are_done_once_and_old_ones_are_dropped"),
    "ingest/src/store/postgres/mod.rs CONNECTIONS_MAX": ("further calls wait for a connection, then fail with `store_slow`", "calls_beyond_the_connections_wait_and_all_are_answered"),
    "ingest/src/store/postgres/mod.rs IDLE_IN_TRANSACTION_TIMEOUT": ("the server ends the transaction, and nothing of it is kept", "a_transaction_tells_the_server_when_to_give_up_and_a_revocation_waits_for_the_standby"),
    "ingest/src/store/postgres/mod.rs IDLE_IN_IMPORT_TIMEOUT": ("the server ends the import, and nothing of it is kept", "a_transaction_tells_the_server_when_to_give_up_and_a_revocation_waits_for_the_standby"),
    "ingest/src/store/postgres/migrate.rs OTHERS_TIMEOUT": ("the start fails with `store_busy`", "processes_that_start_at_once_migrate_one_after_the_other"),
    "ingest/src/store/postgres/migrate.rs MIGRATE_TIMEOUT": ("the migration is rolled back, and the start fails with `store_slow`", "processes_that_start_at_once_migrate_one_after_the_other"),
    "ingest/src/store/postgres/settings.rs DATABASE_TIMEOUT": ("as `database_timeout`", "a_server_that_swallows_everything_holds_no_call_up_and_is_used_again_when_it_answers"),
    # What one fact may hold.
    "ingest/src/sync/bounds.rs KEY_BYTES_MAX": ("the fact becomes a reject; the others are unaffected", "a_fact_that_holds_too_much_is_a_reject_that_says_what_and_the_others_stand"),
    "ingest/src/sync/bounds.rs NAME_BYTES_MAX": ("the fact becomes a reject; the others are unaffected", "a_fact_that_holds_too_much_is_a_reject_that_says_what_and_the_others_stand"),
    "ingest/src/sync/bounds.rs ALIASES_MAX": ("the fact becomes a reject; the others are unaffected", "a_fact_that_holds_too_much_is_a_reject_that_says_what_and_the_others_stand"),
    "ingest/src/sync/bounds.rs ADDRESS_BYTES_MAX": ("the fact becomes a reject; the others are unaffected", "a_fact_that_holds_too_much_is_a_reject_that_says_what_and_the_others_stand"),
    "ingest/src/sync/bounds.rs TEXT_BYTES_MAX": ("the fact becomes a reject; the others are unaffected", "a_fact_that_holds_too_much_is_a_reject_that_says_what_and_the_others_stand"),
    "ingest/src/sync/bounds.rs PROMPT_BYTES_MAX": ("the fact becomes a reject; the others are unaffected", "a_prompt_may_be_longer_than_other_texts_and_has_its_own_bound"),
    "ingest/src/sync/bounds.rs LIST_ITEMS_MAX": ("the fact becomes a reject; the others are unaffected", "a_fact_that_holds_too_much_is_a_reject_that_says_what_and_the_others_stand"),
    "ingest/src/sync/bounds.rs FIELDS_BYTES_MAX": ("the fact becomes a reject; the others are unaffected", "a_fact_that_holds_too_much_is_a_reject_that_says_what_and_the_others_stand"),
    "ingest/src/sync/bounds.rs CHECKED_AHEAD_MAX": ("the card is a reject", "a_card_that_was_checked_on_a_day_to_come_is_a_reject"),
    # How a sync ends.
    "ingest/src/sync/outcome.rs FAILURE_DOUBLINGS_MAX": ("the wait grows no more", "waits_after_failures_stop_doubling"),
    "ingest/src/sync/attempt.rs CONDITIONAL_MAX": ("the source is asked without conditions", "an_upstream_that_always_says_not_modified_is_asked_without_conditions_after_a_week"),
    "ingest/src/sync/outcome.rs FAULT_CHARS_MAX": ("it is cut", "the_message_of_a_failure_is_cut"),
    "ingest/src/sync/quarantine.rs LIVE_FACTS_MIN": ("a source with more loses a share only", "a_fifth_of_the_facts_may_go_and_a_small_source_may_lose_more_but_never_all"),
    "ingest/src/sync/quarantine.rs REMOVED_PERCENT_MAX": ("quarantined as a mass removal", "a_mass_removal_is_held_back_until_it_is_forced"),
    "ingest/src/sync/quarantine.rs SHAPE_FACTS_MIN": ("with so many, a field that vanishes is `shape_changed`", "a_field_that_few_facts_or_half_of_them_stated_may_vanish"),
    "ingest/src/sync/quarantine.rs SHAPE_STATED_PERCENT_MIN": ("quarantined as `shape_changed`", "a_field_that_few_facts_or_half_of_them_stated_may_vanish"),
    "ingest/src/sync/quarantine.rs ADDED_PERCENT_MAX": ("quarantined as `mass_addition`", "a_mass_addition_is_held_back_until_it_is_forced_or_repeated_a_day_later_with_other_bytes"),
    "ingest/src/sync/quarantine.rs ADDED_FACTS_MIN": ("with more, the share counts", "a_mass_addition_is_held_back_until_it_is_forced_or_repeated_a_day_later_with_other_bytes"),
    "ingest/src/sync/status.rs ASKED_WAIT_MAX": ("the source is due after this time", "no_header_silences_a_source_for_more_than_a_day"),
    # The program.
    "refdesk/src/background/mod.rs WRITE_WAIT_MAX": ("`/health` says so, and the task is restarted", "a_task_that_asked_for_more_time_has_it_and_no_more"),
    "refdesk/src/background/mod.rs VECTORS_WORK_MAX": ("`/health` says so, and the task is restarted", "a_task_that_asked_for_more_time_has_it_and_no_more"),
    "refdesk/src/background/store_watch.rs LOOK_MAX": ("`/health` is degraded: the store does not answer", "a_look_that_does_not_come_back_is_a_fault"),
    "refdesk/src/background/watchdog.rs SILENT_MAX": ("`/health` says so, and the task is restarted", "a_task_that_hangs_is_told_and_started_again"),
    "ingest/src/generation/disk.rs MANIFEST_BYTES_MAX": ("the catalog on disk is ignored and built from the store", "a_manifest_that_is_too_long_is_refused"),
    "catalog/src/answer/search/passages.rs PIECE_BYTES_MAX": ("a longer section is cut into pieces", "long_sections_are_cut_at_paragraphs_and_nothing_is_lost"),
    "catalog/src/answer/search/passages.rs PASSAGE_TEXTS_MAX": ("later hits show no passages", "only_the_texts_of_the_best_hits_are_read_for_passages"),
    "refdesk/src/view/sellers.rs OFFERS_MAX": ("the number of the others is shown", "of_many_sellers_the_first_are_shown_and_the_rest_is_counted"),
    "refdesk/src/view/detail.rs ENTRIES_MAX": ("the number of the others is shown", "of_a_long_list_the_first_entries_are_shown_and_the_rest_is_counted"),
    # HTTP and MCP.
    "serve/src/middleware/request_context.rs REQUEST_ID_CHARS_MAX": ("the request gets an id of ours", "the_request_id_is_the_client_s_when_it_is_plain_and_ours_otherwise"),
    "serve/src/middleware/validation.rs HEADERS_MAX": ("431 `headers_too_large`", "what_is_no_request_gets_a_problem_document_with_an_id"),
    "serve/src/state/cache/mod.rs EXPECTED_ENTRIES_MAX": ("the table of the cache grows", "bodies_are_kept_within_their_bytes_the_key_among_them"),
    "serve/src/http/client_address.rs FORWARDED_HOPS_MAX": ("the last hop that was looked at counts as the client", "no_more_hops_are_looked_at_than_the_limit"),
    "serve/src/mcp/tools/answer.rs CITED_NAME_CHARS_MAX": ("it is cut", "links_citations_completions_and_ids_of_tools_end_at_their_limits"),
    "serve/src/mcp/endpoint.rs FREE_MESSAGE_BYTES_MAX": ("the message counts against the limit a minute", "what_is_looked_up_counts_against_the_limit_and_the_429_is_json_rpc"),
    "serve/src/mcp/tools/projection/fit.rs ITEM_CHARS_MAX": ("lists and texts are cut; `how_to_continue` says so and `full` gives all", "long_lists_of_an_item_are_cut_and_say_so"),
    "serve/src/mcp/tools/projection/fit.rs COMPARISON_CHARS_MAX": ("lists and texts are cut further, as far as they can be; `how_to_continue` names the rows and `full` gives all", "many_items_side_by_side_are_cut_further_than_two"),
    "serve/src/mcp/tools/projection/fit.rs HITS_CHARS_MAX": ("snippets are shortened, the longest first", "an_answer_has_the_tokens_that_are_promised"),
    "serve/src/mcp/tools/projection/fit.rs ROWS_CHARS_MAX": ("descriptions are shortened, the longest first", "an_answer_has_the_tokens_that_are_promised"),
    "serve/src/mcp/mod.rs ANSWER_CHARS_MAX": ("the answer is cut and says how to go on", "no_answer_is_longer_than_a_model_can_read_and_each_says_how_to_go_on"),
    "serve/src/mcp/mod.rs CATALOG_BYTES_MAX": ("the answer is cut and says how to go on", "no_answer_is_longer_than_a_model_can_read_and_each_says_how_to_go_on"),
    "serve/src/mcp/mod.rs LINKS_MAX": ("the others have no link; their ids are in the answer", "links_citations_completions_and_ids_of_tools_end_at_their_limits"),
    "serve/src/mcp/mod.rs COMPLETIONS_MAX": ("`hasMore` is true, and `total` counts all", "links_citations_completions_and_ids_of_tools_end_at_their_limits"),
    "serve/src/mcp/prompts.rs DESCRIPTION_CHARS_MAX": ("it is cut", "links_citations_completions_and_ids_of_tools_end_at_their_limits"),
    "serve/src/mcp/protocol/rpc.rs ID_BYTES_MAX": ("error -32600 without an id", "an_id_that_is_too_long_is_not_echoed"),
    "serve/src/mcp/tools/arguments/mod.rs ID_CHARS_MAX": ("the tool answers `id is too long`", "links_citations_completions_and_ids_of_tools_end_at_their_limits"),
    "serve/src/markdown/headings.rs ANCHOR_CHARS_MAX": ("it is cut", "headings_fit_below_that_of_the_page_and_have_anchors_of_their_own"),
    "serve/src/markdown/headings.rs LEVEL_MIN": ("the heading is shown at this level", "headings_fit_below_that_of_the_page_and_have_anchors_of_their_own"),
    "serve/src/markdown/headings.rs LEVEL_MAX": ("the heading is shown at this level", "headings_fit_below_that_of_the_page_and_have_anchors_of_their_own"),
    "serve/src/markdown/headings.rs HEADINGS_MAX": ("the others are in the text, and in no table of contents", "headings_fit_below_that_of_the_page_and_have_anchors_of_their_own"),
    "serve/src/markdown/highlight.rs BLOCK_BYTES_MAX": ("the block has no colours", "code_beyond_the_bounds_stays_plain_and_whole"),
    "serve/src/markdown/highlight.rs BLOCK_LINES_MAX": ("the block has no colours", "code_beyond_the_bounds_stays_plain_and_whole"),
    "serve/src/markdown/highlight.rs LINE_BYTES_MAX": ("the line has no colours", "code_beyond_the_bounds_stays_plain_and_whole"),
    "serve/src/markdown/highlight.rs CODE_BYTES_MAX": ("the blocks after it have no colours", "code_beyond_the_bounds_stays_plain_and_whole"),
    "serve/src/markdown/highlight.rs CODE_TIME_MAX": ("the block and those after it have no colours", "code_beyond_the_bounds_stays_plain_and_whole"),
    "serve/src/markdown/mod.rs RENDERED_BYTES_MAX": ("the page is the text in `<pre>` with a note", "html_that_grows_too_long_is_given_up"),
    "serve/src/markdown/mod.rs RENDER_TIME_MAX": ("the page is the text in `<pre>` with a note", "a_text_beyond_a_cap_is_shown_as_it_was_written"),
    "serve/src/markdown/tags.rs NODES_MAX": ("the page is the text in `<pre>` with a note", "a_text_beyond_the_caps_is_shown_as_it_was_written_with_a_note"),
    "serve/src/markdown/tags.rs ATTRIBUTES_MAX": ("the tag loses its attributes", "too_deep_and_too_much_are_told"),
    "serve/src/markdown/tags.rs TAG_BYTES_MAX": ("it is shown as text", "a_tag_that_is_too_long_is_text"),
    "catalog/src/segment/evidence/times.rs FACTS_MAX": ("a manifest with more is refused: a damaged one asks for no endless memory", "a_segment_is_not_read_with_times_that_are_not_its_own"),
    "serve/src/pages/desk/compare/mod.rs COMPARED_MAX": ("the first five are compared, and a notice says so", "what_cannot_be_compared_is_told_and_the_rest_is_shown"),
    "serve/src/pages/desk/compare/mod.rs COMPARED_MIN": ("a notice asks for another", "what_cannot_be_compared_is_told_and_the_rest_is_shown"),
    "serve/src/pages/desk/compare/table.rs CELL_CHARS_MAX": ("the cell folds it behind its first words", "sentences_stand_on_lines_of_their_own_and_long_texts_are_folded"),
    "serve/src/pages/desk/crawlers.rs SITEMAP_URLS_MAX": ("they go on in another file", "a_large_table_goes_on_by_pages_and_its_sitemap_by_files"),
    "serve/src/pages/desk/search/hit.rs HIT_CHARS_MAX": ("it ends with an ellipsis", "what_is_long_is_cut_and_says_so"),
    "serve/src/pages/desk/sources.rs REJECTS_SHOWN_MAX": ("the page says how many there are", "what_is_long_is_cut_and_says_so"),
    "serve/src/pages/items/mod.rs DESCRIPTION_CHARS_MAX": ("it ends with an ellipsis", "what_is_long_is_cut_and_says_so"),
    "serve/src/pages/items/model/offers.rs CHARTED_MAX": ("the table above has all", "what_is_long_is_cut_and_says_so"),
    "serve/src/pages/items/text.rs CONTENTS_LEVEL_MAX": ("lower headings are in the text alone", "what_is_long_is_cut_and_says_so"),
    "serve/src/pages/lists/columns.rs CELL_CHARS_MAX": ("it ends with an ellipsis", "what_is_long_is_cut_and_says_so"),
    "serve/src/pages/lists/columns.rs CELL_WORDS_MAX": ("the cell says how many more there are", "what_is_long_is_cut_and_says_so"),
    "serve/src/pages/lists/mod.rs TITLE_CHARS_MAX": ("it ends with an ellipsis", "what_is_long_is_cut_and_says_so"),
    "serve/src/pages/lists/mod.rs ROWS_MAX": ("the page has that many, and a link to the next", "a_large_table_goes_on_by_pages_and_its_sitemap_by_files"),
    "serve/src/state/semantic.rs QUERY_VECTORS_MAX": ("those that were not asked for again make room", "of_too_many_questions_only_so_many_are_kept"),
    "serve/src/state/semantic.rs GENERATIONS_MAX": ("the oldest is dropped", "vectors_of_old_generations_are_dropped"),
    "ingest/src/segment_store/directory.rs CALLS_MAX": ("the call waits for its turn, and is given up after its time", "a_directory_that_hangs_takes_a_few_threads_and_is_used_again_when_it_answers"),
    "ingest/src/segment_store/mod.rs FILE_TIMEOUT": ("the file is tried again with the next generation, and an older one is shown", "a_segment_store_that_does_not_answer_is_given_up"),
    "ingest/src/segment_store/mod.rs QUESTION_TIMEOUT": ("as for a file", "a_segment_store_that_does_not_answer_is_given_up"),
    "refdesk/src/config/file.rs EDITS_TIMEOUT": ("the command changes nothing and says so", "who_waits_too_long_for_another_edit_is_told_and_the_next_is_not_kept"),
    "refdesk/src/cluster/candidate.rs BEFORE_LEADING_MAX": ("the watchdog restarts the task", "a_task_that_hangs_is_told_and_started_again"),
    "refdesk/src/background/publisher.rs SHOW_MAX": ("the watchdog restarts the task", "a_part_of_long_work_that_asked_for_more_time_has_it_until_it_says_otherwise"),
    "refdesk/src/background/publisher.rs UNWRITTEN_MAX": ("the node gives the lease up and says why", "who_cannot_write_its_data_directory_leaves_the_lease_to_others_until_it_can"),
    "refdesk/src/cluster/candidate/aside.rs LOOK_MAX": ("the watchdog restarts the task", "a_task_that_hangs_is_told_and_started_again"),
    "refdesk/src/cluster/follower.rs TAKE_UP_MAX": ("the watchdog restarts the task", "a_task_that_hangs_is_told_and_started_again"),
    "refdesk/src/cluster/head.rs MIGRATE_MAX": ("the watchdog restarts the task", "a_task_that_hangs_is_told_and_started_again"),
    "refdesk/src/cluster/first.rs FIRST_FETCH_MAX": ("the node begins with the catalog that it has, and takes up the newest later", "a_node_that_has_a_catalog_does_not_wait_long_for_a_segment_store_that_hangs"),
    "key_ring_age_max": ("a request with a key ends with a 503, code `keys_unknown`", "each_code_comes_with_what_the_page_of_errors_says"),
    "refdesk/src/cluster/mod.rs LEASE_TTL_MIN": ("the start is refused", "a_lease_that_is_too_short_is_refused"),
    "serve/src/server/wire.rs LINGER_BYTES_MAX": ("the connection is closed", "after_a_refusal_no_more_than_a_few_megabytes_are_read"),
}


def shown(value, name):
    """`64 << 20` of a number of bytes as `64 MiB`; what is no plain number as it is written."""
    value = re.sub(r"\s+", " ", value.strip())
    spans = re.fullmatch(r"(?:Duration::from_|Span::)(secs|millis|mins|hours|days)\(([^)]+)\)", value)
    if spans:
        return f"{spans.group(2)} {spans.group(1).replace('millis', 'ms').replace('secs', 's').replace('mins', 'min').replace('hours', 'h').replace('days', 'd')}"
    if not re.fullmatch(r"[\d_ <*+()]+", value):
        return f"`{value}`"
    number = eval(value.replace("_", ""), {"__builtins__": {}})  # digits, shifts and products only, as matched above
    if "BYTES" in name:
        for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if number >= size and number % size == 0:
                return f"{number // size:,} {unit}"
    return f"{number:,}"


def described(comment):
    text = " ".join(line.strip()[3:].strip() for line in comment.strip().splitlines())
    return re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", text).replace("|", "\\|")


def limits():
    """The settings and the constants that bound something: key, name and place as shown, value, what it bounds."""
    settings = [(key, f"`{key}`", default.strip(), what.strip()) for key, default, what in SETTING.findall(read("docs/settings.md")) if BOUNDS.search(key)]
    constants, undescribed = [], []
    for path, text in sorted(sources()):
        crate, inside, file = path.removeprefix("crates/").partition("/src/")
        if not inside or any(f"{crate}/{file}".startswith(part) for part in ELSEWHERE):
            continue
        path, described_names = f"{crate}/src/{file}", set()
        for comment, name, _, value in CONSTANT.findall(text):
            described_names.add(name)
            constants.append((f"{path} {name}", f"`{name}` in `{path}`", shown(value, name), described(comment)))
        undescribed += [f"{path} {name}" for name in dict.fromkeys(NAMED.findall(text)) if name not in described_names]
    return settings, constants, [key for key in undescribed if key not in NO_LIMITS]


def bounds(head, rows):
    listed = [(name, value, what, *BEYOND.get(key, ("", ""))) for key, name, value, what in rows if key not in NO_LIMITS]
    return table((*head, "what it bounds", "beyond it", "held by"), [(*row, f"`{test}`") for *row, test in listed])


def page(settings, constants):
    out = ["# Limits", "", "Generated from the settings and the constants of the code (`scripts/limits.py --write`); the test script compares. It lists the bounds on what",
           "a client, an upstream, a file or a clock can make large, long or many. Each has a test that goes beyond it.", "", "## Settings", ""]
    return "\n".join(out) + "\n" + bounds(("setting", "default"), settings) + "\n## Constants\n\n" + bounds(("constant", "value"), constants)


def tests():
    """The names of all tests."""
    code = "\n".join(text for _, text in sources())
    return set(re.findall(r"#\[(?:tokio::)?test[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:async )?fn ([a-z0-9_]+)\(", code))


def faults(settings, constants, undescribed):
    """What is wrong with the table itself, a line each."""
    known, keys = tests(), [key for key, *_ in settings + constants]
    listed = [key for key in keys if key not in NO_LIMITS]
    out = [f"{key}: a limit needs a comment that says what it bounds" for key in undescribed]
    out += [f"{key}: say in BEYOND what happens beyond it, and name the test that goes there" for key in listed if not all(BEYOND.get(key, ("", "")))]
    out += [f"{key}: no test is called {BEYOND[key][1]}" for key in listed if key in BEYOND and BEYOND[key][1] not in known]
    out += [f"{key} in BEYOND is no limit (any more)" for key in BEYOND if key not in listed]
    everything = "\n".join(f"{path.removeprefix('crates/')} {name}" for path, text in sources() for name in NAMED.findall(text)).splitlines()
    return out + [f"{key} in NO_LIMITS is not there (any more)" for key in NO_LIMITS if key not in keys and key not in everything]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    settings, constants, undescribed = limits()
    text, failures = page(settings, constants), faults(settings, constants, undescribed)
    if options.write:
        write(PAGE, text)
    elif not os.path.exists(PAGE) or read(PAGE) != text:
        failures.append("docs/limits.md is not what the code says; run scripts/limits.py --write")
    print("\n".join(failures) or "docs/limits.md is what the code says")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
