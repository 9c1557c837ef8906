package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.FieldRules;

import tools.jackson.databind.JsonNode;

/** Rules for fields that several routes of different vendors share. */
public final class SharedFieldRules {
    /** Rules for the fields of generation. */
    private static final FieldRules GENERATION =
            FieldRules.builder()
                    .supported("model stream stream_options")
                    .supported("max_tokens max_completion_tokens max_output_tokens n_predict")
                    .supported("temperature top_p top_k min_p seed n logit_bias")
                    .supported("presence_penalty frequency_penalty")
                    .supported("repetition_penalty repeat_penalty repeat_last_n")
                    .supported("dry_multiplier dry_base dry_allowed_length dry_penalty_last_n")
                    .supported("dry_sequence_breakers top_n_sigma typical_p")
                    .supported("xtc_probability xtc_threshold mirostat mirostat_tau mirostat_eta")
                    .supported("stop stop_sequences stop_token_ids min_tokens ignore_eos")
                    .supported("speculative draft_max lora cache cache_prompt cache_scope")
                    .supported("prefill_compression prefill_keep_ratio session_id")
                    .ignores("user metadata store service_tier safety_identifier priority")
                    .ignores("prompt_cache_key prompt_cache_retention request_id")
                    // Fields of vLLM and llama.cpp that concern their internals or response
                    // formats.
                    .ignores("return_token_ids return_tokens_as_token_ids return_tokens")
                    .ignores("timings_per_token return_progress post_sampling_probs n_probs")
                    .ignores("id_slot n_keep n_discard samplers penalize_nl")
                    .ignores("dynatemp_exponent min_keep keep_alive response_fields")
                    .onlyNumber("dynatemp_range n_indent t_max_predict_ms", 0)
                    .onlyNumber("tfs_z length_penalty best_of", 1)
                    .only(
                            "use_beam_search include_stop_str_in_output",
                            "false",
                            SharedFieldRules::no)
                    .only("skip_special_tokens", "true", value -> value.asBoolean(false))
                    .refuses(
                            "allowed_token_ids bad_words prompt_logprobs",
                            "is not supported by this server")
                    .refuses(
                            "truncate_prompt_tokens",
                            "is not supported; the server never truncates prompts")
                    .refuses("image_data multimodal_data", "is not supported by this server")
                    .refuses("format", "is not supported; use response_format")
                    .refuses("options", "is not supported; put its fields into the request body")
                    .only("modalities", "[\"text\"]", SharedFieldRules::isText)
                    .refuses("functions function_call", "is not supported; use tools")
                    .refuses("audio", "is not supported; responses are text")
                    .refuses(
                            "web_search_options",
                            "is not supported; the server does not search the web")
                    .build();

    /** Fields for the required format of the content. */
    private static final String FORMS =
            "response_format guided_json guided_regex guided_choice guided_grammar"
                    + " structured_outputs grammar json_schema";

    private static final FieldRules TEXT =
            GENERATION.more().supported(FORMS).supported("logprobs").build();

    private static final FieldRules BARE =
            TEXT.more()
                    .refuses("tools", "is not supported; use /v1/chat/completions for tools")
                    .only("tool_choice", "none", value -> value.asString("").equals("none"))
                    .build();

    private SharedFieldRules() {}

    private static boolean isText(JsonNode modalities) {
        return modalities.isArray()
                && modalities.size() == 1
                && modalities.get(0).asString("").equals("text");
    }

    private static boolean no(JsonNode value) {
        return value.isBoolean() && !value.booleanValue();
    }

    /**
     * Returns the generation rules and those for the required format of the content, which all APIs
     * but the newest share.
     */
    public static FieldRules text() {
        return TEXT;
    }

    /** Returns the text rules for routes whose prompts are plain text. */
    public static FieldRules bareText() {
        return BARE;
    }
}
