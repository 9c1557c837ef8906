package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufMetadata;
import dev.varve.platform.sampling.FileSampling;
import dev.varve.platform.sampling.SamplingDefaults;
import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Sampling defaults of a server: for all models, and for single ones. */
final class ModelSampling {
    private static final String FLAG = "--model-sampling";

    @Mixin private SamplingArguments all;

    @Option(
            names = FLAG,
            paramLabel = "ID=VALUES",
            description =
                    "Sampling defaults of one of several models; may be repeated. Such as"
                            + " small=temperature:0.6,top_p:0.95, with the names of requests.",
            order = 56)
    private List<String> single = List.of();

    /**
     * Returns the values of the flags by model id.
     *
     * @throws UsageException if a value of a flag is wrong
     */
    Map<String, SamplingValues> byModel() {
        Map<String, SamplingValues> values = new HashMap<>();
        for (String text : single) {
            int at = text.indexOf('=');
            if (at < 1) {
                throw new UsageException(FLAG + ": expected the form ID=VALUES, found " + text);
            }
            SamplingValues read = SamplingValues.NONE;
            for (String pair : text.substring(at + 1).split(",")) {
                read = read(read, pair);
            }
            if (values.put(text.substring(0, at), read) != null) {
                throw new UsageException(
                        FLAG + ": " + text.substring(0, at) + " occurs more than once");
            }
        }
        return values;
    }

    /** Returns the values of the flags for all models. */
    SamplingValues all() {
        return all.values();
    }

    private static SamplingValues read(SamplingValues values, String pair) {
        int at = pair.indexOf(':');
        String name = at < 0 ? pair : pair.substring(0, at);
        String place = FLAG + " " + name;
        try {
            String number = pair.substring(at + 1).strip();
            if (name.equals("seed")) {
                return values.withSeed(Long.parseLong(number));
            }
            return SamplingArguments.with(
                    values, parameter(name), place, Double.parseDouble(number));
        } catch (NumberFormatException e) {
            throw new UsageException(place + ": expected a number after a colon, found " + pair);
        }
    }

    private static SamplingParameter parameter(String name) {
        return SamplingParameter.find(name)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        FLAG
                                                + ": expected one of "
                                                + SamplingParameter.wireNames()
                                                + ", seed, found "
                                                + name));
    }

    /**
     * Sampling values that an operator sets.
     *
     * @param all values for all models
     * @param byModel values by model id, which override them
     */
    record Operator(SamplingValues all, Map<String, SamplingValues> byModel) {
        /** Returns the defaults of a model. */
        SamplingDefaults of(String id, GgufMetadata metadata, Consumer<String> warning) {
            return new SamplingDefaults(FileSampling.read(metadata, warning), server(id));
        }

        /** Returns the values for a model; a seed of -1 is none, also in place of another one. */
        SamplingValues server(String id) {
            SamplingValues values = byModel.getOrDefault(id, SamplingValues.NONE).over(all);
            return values.seed().orElse(0) == SamplingArguments.ANY_SEED
                    ? values.withoutSeed()
                    : values;
        }

        /**
         * Checks that values are for models that exist.
         *
         * @param ids of all models
         * @throws UsageException if there is no such model
         */
        void requireKnown(Collection<String> ids) {
            for (String id : byModel.keySet()) {
                if (!ids.contains(id)) {
                    throw new UsageException(
                            FLAG
                                    + ": expected one of the models "
                                    + String.join(", ", ids)
                                    + ", found "
                                    + id);
                }
            }
        }
    }

    /**
     * Returns all values.
     *
     * @throws UsageException if a value of a flag is wrong
     */
    Operator values() {
        return new Operator(all(), byModel());
    }
}
