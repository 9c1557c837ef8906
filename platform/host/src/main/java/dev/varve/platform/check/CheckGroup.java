package dev.varve.platform.check;

/** Subject of a check; the groups run in this order. */
public enum CheckGroup {
    /** Backend, driver, memory and features. */
    DEVICE("device"),

    /** Demo models, whole and split, against the processor. */
    MODELS("models"),

    /** Each ggml operator that the models record, against the processor. */
    OPERATORS("operators"),

    /** Copies between memories. */
    COPIES("copies"),

    /** Draft tokens, token trees, paging and snapshots. */
    DECODING("decoding"),

    /** Concurrent requests, and the bits of a token in a batch. */
    BATCHES("batches"),

    /** Throughput of a synthetic model. */
    SPEED("speed");

    private final String word;

    CheckGroup(String word) {
        this.word = word;
    }

    /** Name in tables and reports. */
    public String word() {
        return word;
    }
}
