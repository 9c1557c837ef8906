package dev.varve.platform.shard.lora;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The term that an adapter adds to a product with a weight: {@code factor * B(A x)}.
 *
 * @param a name of the first matrix as shards load it
 * @param b name of the second matrix
 * @param factor factor of the result, which may differ between tokens
 */
public record LoraTerm(String a, String b, LoraFactor factor) {
    private static final Pattern NAME = Pattern.compile("(.*)\\.lora_[ab]\\.\\d{1,6}");

    /** Returns the term of an adapter by its number, since several may change one weight. */
    static LoraTerm of(String weight, LoraFactor factor) {
        return new LoraTerm(
                nameOfA(weight, factor.adapter()), nameOfB(weight, factor.adapter()), factor);
    }

    /** Returns the name of an adapter's first matrix of a weight. */
    static String nameOfA(String weight, int adapter) {
        return weight + ".lora_a." + adapter;
    }

    /** Returns the name of an adapter's second matrix of a weight. */
    static String nameOfB(String weight, int adapter) {
        return weight + ".lora_b." + adapter;
    }

    /** Returns the weight that a loaded tensor belongs to; empty if it is no adapter's. */
    public static Optional<String> weightOf(String tensor) {
        Matcher name = NAME.matcher(tensor);
        return name.matches() ? Optional.of(name.group(1)) : Optional.empty();
    }
}
