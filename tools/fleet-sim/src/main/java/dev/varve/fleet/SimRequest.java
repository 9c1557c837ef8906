package dev.varve.fleet;

import dev.varve.platform.replica.PromptBlockHashes;

/** A request in the fleet, or the prefill of one on another replica. */
final class SimRequest {
    /** Estimated tokens of a response whose limit is high, as the engine's pool estimates them. */
    static final int EXPECTED_TOKENS = 256;

    private final long number;
    private final Turn turn;
    private final PromptBlockHashes blocks;
    private final long arrival;
    private final boolean prefillOnly;
    private final Runnable ended;
    private Runnable lost = () -> {};
    private long firstToken = -1;
    private long startedAt = -1;
    private int generated;
    private int computed;
    private int owed;
    private int attempt;

    /**
     * @param arrival time in ns
     * @param prefillOnly whether it ends with its prompt
     * @param ended called at its end on a replica
     */
    SimRequest(long number, Turn turn, long arrival, boolean prefillOnly, Runnable ended) {
        this.number = number;
        this.turn = turn;
        this.blocks = turn.blocks();
        this.arrival = arrival;
        this.prefillOnly = prefillOnly;
        this.ended = ended;
    }

    long number() {
        return number;
    }

    Turn turn() {
        return turn;
    }

    PromptBlockHashes blocks() {
        return blocks;
    }

    long arrival() {
        return arrival;
    }

    boolean isPrefillOnly() {
        return prefillOnly;
    }

    /** Runs what follows the request. */
    void end() {
        ended.run();
    }

    /** Sets what follows if its replica fails before its end. */
    void onLost(Runnable action) {
        lost = action;
    }

    /** Runs what follows a lost prefill. */
    void lose() {
        lost.run();
    }

    /** Returns the number of tokens of prompt and response so far. */
    int known() {
        return turn.promptTokens() + generated;
    }

    int computed() {
        return computed;
    }

    int tokensToCompute() {
        return known() - computed;
    }

    int generated() {
        return generated;
    }

    boolean isDone() {
        return prefillOnly ? computed >= turn.promptTokens() : generated >= turn.outputTokens();
    }

    /** Returns the time of the first token in ns, or -1. */
    long firstToken() {
        return firstToken;
    }

    /** Records that it got a place on a replica for the first time; returns whether it did. */
    boolean start(long now) {
        boolean first = startedAt < 0;
        startedAt = first ? now : startedAt;
        return first;
    }

    void setComputed(int tokens) {
        computed = tokens;
    }

    /** Adds a token of the response; the one before it is computed. */
    void addToken(long now) {
        generated++;
        if (firstToken < 0) {
            firstToken = now;
        }
    }

    /** Begins at a replica: nothing is computed there. Earlier callbacks no longer apply. */
    void assign(int expectedTokens) {
        attempt++;
        computed = 0;
        owed = turn.promptTokens() - expectedTokens + remaining();
    }

    /** Returns a number that differs after each assignment. */
    int attempt() {
        return attempt;
    }

    int owed() {
        return owed;
    }

    /** Sets the owed tokens to those that are left; returns the change. */
    int updateOwed() {
        int before = owed;
        owed = Math.max(0, turn.promptTokens() - computed) + remaining();
        return owed - before;
    }

    private int remaining() {
        return prefillOnly ? 0 : Math.max(0, EXPECTED_TOKENS - generated);
    }
}
