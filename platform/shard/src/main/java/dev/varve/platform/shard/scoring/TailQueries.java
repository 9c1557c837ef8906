package dev.varve.platform.shard.scoring;

/** The last tokens of a prompt, whose queries score all other tokens. */
public final class TailQueries {
    /** Number of tail queries. */
    public static final int COUNT = 8;

    /** Shorter prompts are not scored: they have no tokens before the tail. */
    public static final int LEAST_TOKENS = COUNT + 1;

    private TailQueries() {}
}
