package dev.varve.api.model;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.RopeOptions.Yarn;

import java.util.Optional;
import java.util.OptionalDouble;

/** Reads {@code rope.scaling.*} of a model file. */
final class RopeScaling {
    private static final String LONG_ROPE = "longrope";

    private final ModelKeys keys;
    private final ModelOptions options;
    private final String type;
    private final float factor;

    RopeScaling(ModelKeys keys, ModelOptions options) {
        this.keys = keys;
        this.options = options;
        type = keys.text("rope.scaling.type").orElse("linear");
        float given = keys.number("rope.scaling.factor", keys.number("rope.scale_linear", 1));
        if (given < 0) {
            throw keys.wrong("rope.scaling.factor", "positive", given);
        }
        factor = given == 0 || type.equals("none") ? 1 : given;
        if (!Float.isFinite(1 / factor)) {
            throw keys.wrong("rope.scaling.factor", "a number with a finite reciprocal", given);
        }
    }

    /** Refuses factors of long contexts, without which the rotation would be another one. */
    void requireNoFactors() {
        if (type.equals(LONG_ROPE)) {
            throw keys.wrong("rope.scaling.type", "none, linear or yarn", type);
        }
    }

    RopeOptions of(int dimensions, RopeOptions.Mode mode, float base) {
        return new RopeOptions(dimensions, mode, base, 1 / factor, yarn());
    }

    private Yarn yarn() {
        float attention = keys.number("rope.scaling.attn_factor", 1);
        return switch (type) {
            case "none", "linear", LONG_ROPE -> new Yarn(original(), 0, attention, 32, 1);
            case "yarn" ->
                    new Yarn(
                            original(),
                            keys.number("rope.scaling.yarn_ext_factor", 1),
                            magnitudeArgument() * attention,
                            beta(options.yarnBetaFast(), "rope.scaling.yarn_beta_fast", 32),
                            beta(options.yarnBetaSlow(), "rope.scaling.yarn_beta_slow", 1));
            default ->
                    throw keys.wrong(
                            "rope.scaling.type", "none, linear, yarn or " + LONG_ROPE, type);
        };
    }

    private int original() {
        return keys.positive("rope.scaling.original_context_length", keys.context());
    }

    private float beta(OptionalDouble given, String name, float fallback) {
        return given.isPresent() ? (float) given.getAsDouble() : keys.number(name, fallback);
    }

    /**
     * Factor of sine and cosine beside {@code 1 + 0.1 * ln(factor)}, which the operator applies
     * itself. {@code yarn_attn_factor} is the product of both; a logarithmic multiplier L divides
     * the product by {@code 1 + 0.1 * L * ln(factor)}.
     */
    private float magnitudeArgument() {
        float own = 1 / magnitude(1);
        float multiplier = keys.number("rope.scaling.yarn_log_multiplier", 0);
        if (multiplier != 0) {
            return magnitude(1) / magnitude(multiplier) * own;
        }
        return keys.number("rope.scaling.yarn_attn_factor", magnitude(1)) * own;
    }

    float magnitude(float multiplier) {
        return factor <= 1 ? 1 : 0.1f * multiplier * (float) Math.log(factor) + 1;
    }

    Optional<String> factors() {
        return factorsByContext()
                .or(() -> Optional.of("rope_freqs.weight").filter(keys::hasTensor));
    }

    /** The factors that the length of sequences decides, once for all of them. */
    Optional<String> factorsByContext() {
        if (!type.equals(LONG_ROPE)) {
            return Optional.empty();
        }
        int context = Math.min(options.contextTokens().orElse(keys.context()), keys.context());
        return Optional.of("rope_factors_" + (context > original() ? "long" : "short") + ".weight");
    }
}
