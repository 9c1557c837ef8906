package dev.varve.platform.sampling;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** A number by which tokens are chosen, with its names, range and value without any setting. */
public enum SamplingParameter {
    /** 0: the most likely token. */
    TEMPERATURE("temperature", "temp", Range.real(0, 100), 1),
    /** Number of candidates that are kept; 0: all. */
    TOP_K("top_k", "top_k", Range.whole(0, Integer.MAX_VALUE), 0),
    /** The most likely tokens whose probabilities reach this are kept; 0: only the first one. */
    TOP_P("top_p", "top_p", Range.real(0, 1), 1),
    /** Tokens below this share of the best one's probability are dropped. */
    MIN_P("min_p", "min_p", Range.real(0, 1), 0),
    /** Divides positive and multiplies negative logits of tokens in the history. */
    REPEAT_PENALTY("repeat_penalty", "penalty_repeat", Range.real(0.001, 100), 1),
    /** Number of latest tokens that the repetition penalty uses; -1: all. */
    REPEAT_LAST_N("repeat_last_n", "penalty_last_n", Range.whole(-1, Integer.MAX_VALUE), 256),
    /** Subtracted once from the logits of tokens in the generated text. */
    PRESENCE_PENALTY("presence_penalty", "", Range.real(-100, 100), 0),
    /** Subtracted per occurrence in the generated text. */
    FREQUENCY_PENALTY("frequency_penalty", "", Range.real(-100, 100), 0),
    /** Multiplier of the penalty of repeated sequences (DRY); 0: off. */
    DRY_MULTIPLIER("dry_multiplier", "", Range.real(0, 100), 0),
    /** Factor of that penalty for each further token of a repeated sequence. */
    DRY_BASE("dry_base", "", Range.real(1, 100), 1.75),
    /** A repeated sequence of this length has the first penalty. */
    DRY_ALLOWED_LENGTH("dry_allowed_length", "", Range.whole(1, Integer.MAX_VALUE), 2),
    /** Number of latest tokens that are searched for repeated sequences; -1: all. */
    DRY_PENALTY_LAST_N("dry_penalty_last_n", "", Range.whole(-1, Integer.MAX_VALUE), -1),
    /** Standard deviations below the highest logit; tokens below are dropped. -1: none. */
    TOP_N_SIGMA("top_n_sigma", "", Range.real(-1, 100), -1),
    /** Locally typical sampling: probability of the tokens that are kept; 1: all. */
    TYPICAL_P("typical_p", "", Range.real(0, 1), 1),
    /** Probability with which XTC drops the most likely tokens. */
    XTC_PROBABILITY("xtc_probability", "xtc_probability", Range.real(0, 1), 0),
    /** Probability from which on tokens count as most likely (XTC). */
    XTC_THRESHOLD("xtc_threshold", "xtc_threshold", Range.real(0, 1), 0.1),
    /** Version of mirostat, 1 or 2; 0: off. */
    MIROSTAT("mirostat", "mirostat", Range.whole(0, 2), 0),
    /** Target surprise of mirostat, in bits. */
    MIROSTAT_TAU("mirostat_tau", "mirostat_tau", Range.real(0, 100), 5),
    /** Learning rate of mirostat. */
    MIROSTAT_ETA("mirostat_eta", "mirostat_eta", Range.real(0, 1), 0.1);

    private final String wireName;
    private final String fileKey;
    private final Range range;
    private final double neutral;

    /**
     * Permitted values.
     *
     * @param whole whether fractions are refused
     */
    private record Range(double least, double most, boolean whole) {
        private static Range real(double least, double most) {
            return new Range(least, most, false);
        }

        private static Range whole(long least, long most) {
            return new Range(least, most, true);
        }
    }

    SamplingParameter(String wireName, String fileKey, Range range, double neutral) {
        this.wireName = wireName;
        this.fileKey = fileKey.isEmpty() ? "" : "general.sampling." + fileKey;
        this.range = range;
        this.neutral = neutral;
    }

    /** Returns the name in requests, in the fields of llama.cpp. */
    public String wireName() {
        return wireName;
    }

    /** Returns the parameter with a name in requests. */
    public static Optional<SamplingParameter> find(String wireName) {
        return Arrays.stream(values()).filter(each -> each.wireName.equals(wireName)).findFirst();
    }

    /** Returns the names in requests, separated by commas. */
    public static String wireNames() {
        return Arrays.stream(values())
                .map(SamplingParameter::wireName)
                .collect(Collectors.joining(", "));
    }

    /** Returns the key in model files, if the format has one. */
    public Optional<String> fileKey() {
        return Optional.of(fileKey).filter(key -> !key.isEmpty());
    }

    /** Returns whether values are integers. */
    public boolean isWhole() {
        return range.whole();
    }

    /** Returns the least permitted value. */
    public double least() {
        return range.least();
    }

    /** Returns the greatest permitted value. */
    public double most() {
        return range.most();
    }

    /** Returns the value if no level sets one: OpenAI's default, or the value without effect. */
    public double neutral() {
        return neutral;
    }

    /**
     * Returns the value as it is stored: a {@code float}'s shortest decimal for a real number.
     *
     * @param name name of the setting, for the message
     * @throws IllegalArgumentException if it is out of range, or no integer where one is expected
     */
    double check(String name, double value) {
        if (!(value >= range.least() && value <= range.most())
                || range.whole() && value != Math.rint(value)) {
            throw new IllegalArgumentException(
                    name + ": expected " + describeRange() + ", found " + show(value));
        }
        return range.whole() ? value : Double.parseDouble(Float.toString((float) value));
    }

    /** Returns the permitted values in words. */
    public String describeRange() {
        String kind = range.whole() ? "an integer" : "a number";
        return range.most() >= Integer.MAX_VALUE
                ? kind + " of " + show(range.least()) + " or more"
                : kind + " from " + show(range.least()) + " to " + show(range.most());
    }

    /** Formats a value without a needless fraction. */
    public static String show(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
