package dev.varve.platform.shard.lora;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The term that an adapter adds to a product with a weight: {@code scale * B(A x)}.
 *
 * @param a name of the first matrix as shards load it
 * @param b name of the second matrix
 * @param scale factor of the result
 */
public record LoraTerm(String a, String b, float scale) {
    private static final Pattern NAME = Pattern.compile("(.*)\\.lora_[ab]\\.\\d{1,6}");

    /** Returns the term of an adapter by its number, since several may change one weight. */
    static LoraTerm of(String weight, int adapter, float scale) {
        return new LoraTerm(weight + ".lora_a." + adapter, weight + ".lora_b." + adapter, scale);
    }

    /** Returns the weight that a loaded tensor belongs to; empty if it is no adapter's. */
    public static Optional<String> weightOf(String tensor) {
        Matcher name = NAME.matcher(tensor);
        return name.matches() ? Optional.of(name.group(1)) : Optional.empty();
    }
}
