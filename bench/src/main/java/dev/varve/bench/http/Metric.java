package dev.varve.bench.http;

/** A figure of a round; {@code docs/performance.md} explains each. */
enum Metric {
    TOKENS_PER_SECOND("tokens_per_second", "tokens/s", Better.MORE),
    WALL("wall_ms", "total ms", Better.LESS),
    TTFT_SUM("ttft_sum_ms", "sum of TTFT ms", Better.LESS),
    TTFT_P50("ttft_p50_ms", "TTFT p50 ms", Better.LESS),
    TTFT_P95("ttft_p95_ms", "TTFT p95 ms", Better.LESS),
    GAP_P50("gap_p50_ms", "gap p50 ms", Better.LESS),
    GAP_P95("gap_p95_ms", "gap p95 ms", Better.LESS),
    GAP_MAX("gap_max_ms", "gap max ms", Better.LESS),
    LONGEST_GAP("longest_gap_ms", "longest gap ms", Better.LESS),
    LONG_TTFT("long_ttft_ms", "TTFT of the long ms", Better.LESS),
    COVERED("covered_percent", "covered %", Better.NEITHER),
    TURN_P50("turn_p50_ms", "turn p50 ms", Better.LESS),
    TIME_PER_TOKEN("time_per_token_ms", "time per token ms", Better.LESS),
    FIRST_ANSWER("first_answer_ms", "first answer ms", Better.LESS),
    PROMPT_TOKENS("prompt_tokens", "prompt tokens", Better.NEITHER),
    TOKENS("tokens", "tokens", Better.NEITHER);

    /** The direction in which a figure is better. */
    enum Better {
        MORE,
        LESS,
        NEITHER
    }

    private final String key;
    private final String label;
    private final Better better;

    Metric(String key, String label, Better better) {
        this.key = key;
        this.label = label;
        this.better = better;
    }

    /** Its name in JSON, with the unit. */
    String key() {
        return key;
    }

    /** Its name for people, with the unit. */
    String label() {
        return label;
    }

    Better better() {
        return better;
    }
}
