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
                    "Number of engines that share the requests, on the same devices. Each has its"
                        + " own caches. --parallel, --max-ctx, --kv-tokens and --max-queue apply to"
                        + " each replica, --cache-ram to all together. Replicas in this process"
                        + " share the weights. If a replica fails, its requests continue on another"
                        + " one, and the server loads it again. See docs/fleet.md.",
            order = OptionSections.DEVICES + 4)
    private int replicas;

    /** Returns the settings with this number of replicas. */
    ModelSettings in(ModelSettings settings) {
        return settings.withReplicas(replicas);
    }
}
