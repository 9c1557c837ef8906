package dev.varve.platform.cli;

import dev.varve.platform.runtime.ModelSettings;

import picocli.CommandLine.Option;

/** Option of the number of replicas of a model. */
final class ReplicaOption {
    @Option(
            names = "--replicas",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Engines of the model that share its requests, each on the same devices with"
                            + " caches of its own; --parallel, --max-ctx, --kv-tokens and"
                            + " --max-queue are for each of them, --cache-ram is for all. In this"
                            + " process they share the weights. When one breaks, its requests go"
                            + " on at another one, and it is loaded again. See docs/fleet.md.",
            order = OptionSections.DEVICES + 4)
    private int replicas;

    /** Returns the settings with this number of replicas. */
    ModelSettings in(ModelSettings settings) {
        return settings.withReplicas(replicas);
    }
}
