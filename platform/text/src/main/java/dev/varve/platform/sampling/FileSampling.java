package dev.varve.platform.sampling;

import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.gguf.ModelFormatException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/** Reads the sampling values that a model file recommends, {@code general.sampling.*}. */
public final class FileSampling {
    private static final String SEQUENCE = "general.sampling.sequence";

    private static final String TEMPERATURE = "temperature";

    /** Samplers by their names in a sequence, in the order in which they are applied. */
    private static final List<Map.Entry<String, List<SamplingParameter>>> SAMPLERS =
            List.of(
                    Map.entry(
                            "penalties",
                            List.of(
                                    SamplingParameter.REPEAT_PENALTY,
                                    SamplingParameter.REPEAT_LAST_N)),
                    Map.entry("dry", List.of()),
                    Map.entry("top_n_sigma", List.of()),
                    Map.entry("top_k", List.of(SamplingParameter.TOP_K)),
                    Map.entry("typ_p", List.of()),
                    Map.entry("top_p", List.of(SamplingParameter.TOP_P)),
                    Map.entry("min_p", List.of(SamplingParameter.MIN_P)),
                    Map.entry(
                            "xtc",
                            List.of(
                                    SamplingParameter.XTC_PROBABILITY,
                                    SamplingParameter.XTC_THRESHOLD)),
                    Map.entry(TEMPERATURE, List.of(SamplingParameter.TEMPERATURE)));

    private FileSampling() {}

    /**
     * Reads the values. A sequence without a sampler leaves out that sampler's values.
     *
     * @param warning receives a text for each value that is out of range or of a wrong type, which
     *     is ignored, and for a sequence in another order than the sampler's
     */
    public static SamplingValues read(GgufMetadata metadata, Consumer<String> warning) {
        SamplingValues values = SamplingValues.NONE;
        for (SamplingParameter parameter : SamplingParameter.values()) {
            if (parameter.fileKey().isPresent()) {
                values = read(metadata, parameter, parameter.fileKey().get(), values, warning);
            }
        }
        return inSequence(metadata, values, warning);
    }

    private static SamplingValues read(
            GgufMetadata metadata,
            SamplingParameter parameter,
            String key,
            SamplingValues values,
            Consumer<String> warning) {
        try {
            OptionalDouble number = metadata.findNumber(key);
            return number.isPresent() ? values.with(parameter, key, number.getAsDouble()) : values;
        } catch (ModelFormatException | IllegalArgumentException e) {
            warning.accept(e.getMessage() + "; the server ignores this recommendation of the file");
            return values;
        }
    }

    private static SamplingValues inSequence(
            GgufMetadata metadata, SamplingValues values, Consumer<String> warning) {
        if (!metadata.has(SEQUENCE)) {
            return values;
        }
        List<String> names;
        try {
            names = names(metadata.string(SEQUENCE));
        } catch (ModelFormatException e) {
            warning.accept(e.getMessage() + "; the server ignores this recommendation of the file");
            return values;
        }
        SamplingValues kept = values;
        List<String> applied = new ArrayList<>();
        for (Map.Entry<String, List<SamplingParameter>> sampler : SAMPLERS) {
            if (names.contains(sampler.getKey())) {
                applied.add(sampler.getKey());
            } else {
                for (SamplingParameter parameter : sampler.getValue()) {
                    kept = kept.without(parameter);
                }
            }
        }
        // Scaled logits have the same order: the place of the temperature matters little.
        if (!without(names).equals(without(applied))) {
            warning.accept(
                    SEQUENCE
                            + ": the server applies samplers in the order "
                            + String.join(";", applied)
                            + ", found "
                            + String.join(";", names).replaceAll("[^a-z0-9_;-]", "?"));
        }
        return kept;
    }

    private static List<String> without(List<String> names) {
        return names.stream().filter(name -> !name.equals(TEMPERATURE)).toList();
    }

    /** Returns the names of a sequence, each in its common spelling. */
    private static List<String> names(String sequence) {
        return Arrays.stream(sequence.split(";"))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .map(
                        name ->
                                switch (name) {
                                    case "temp" -> TEMPERATURE;
                                    case "typical", "typical_p", "typical-p" -> "typ_p";
                                    default -> name.replace('-', '_');
                                })
                .toList();
    }
}
