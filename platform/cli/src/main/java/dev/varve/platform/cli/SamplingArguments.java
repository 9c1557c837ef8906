package dev.varve.platform.cli;

import dev.varve.platform.sampling.SamplingOptions;

import picocli.CommandLine.Option;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Sampling options. */
final class SamplingArguments {
    @Option(
            names = "--temperature",
            paramLabel = "T",
            defaultValue = "0.8",
            description = "0 selects the most likely token each time.",
            order = 50)
    private float temperature;

    @Option(
            names = "--top-k",
            paramLabel = "K",
            defaultValue = "40",
            description = "Keep the K most likely tokens; 0 keeps all.",
            order = 51)
    private int topK;

    @Option(
            names = "--top-p",
            paramLabel = "P",
            defaultValue = "0.95",
            description = "Keep the most likely tokens whose probabilities add up to this value.",
            order = 52)
    private float topP;

    @Option(
            names = "--min-p",
            paramLabel = "P",
            defaultValue = "0.05",
            description = "Remove tokens whose probability is below this share of the highest one.",
            order = 53)
    private float minP;

    @Option(
            names = "--repetition-penalty",
            paramLabel = "R",
            defaultValue = "1",
            description = "Values above 1 make tokens of the history less likely.",
            order = 54)
    private float repetitionPenalty;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "Seed of the random generator (default: random).",
            order = 55)
    private Optional<Long> seed = Optional.empty();

    SamplingOptions options() {
        return new SamplingOptions(
                temperature,
                new SamplingOptions.Cutoffs(topK, topP, minP),
                new SamplingOptions.Penalties(repetitionPenalty, 0, 0),
                seed.map(OptionalLong::of).orElseGet(OptionalLong::empty),
                Map.of());
    }
}
