package dev.varve.platform.cli;

import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.setting.ByteCount;

import picocli.CommandLine.Option;

import java.util.Optional;
import java.util.OptionalLong;

/** Option for the host memory of the prefix cache, of commands that serve or plan a server. */
final class HostCacheArguments {
    @Option(
            names = "--cache-ram",
            paramLabel = "SIZE",
            description =
                    "Host memory for the prefix cache, such as 4G, or 0 (default: automatic). In"
                        + " addition to the memory of the devices; K, M and G stand for KiB, MiB"
                        + " and GiB. Without this flag, a quarter of the memory that the model"
                        + " leaves free, at most 8G.",
            order = OptionSections.CACHE + 2)
    private Optional<String> size = Optional.empty();

    HostCacheLimit limit() {
        return size.map(HostCacheArguments::parse).orElse(HostCacheLimit.USUAL);
    }

    private static HostCacheLimit parse(String size) {
        OptionalLong bytes = ByteCount.parse(size);
        if (bytes.equals(OptionalLong.of(0))) {
            return HostCacheLimit.NONE;
        }
        try {
            return new HostCacheLimit.Fixed(bytes.orElse(0));
        } catch (IllegalArgumentException e) {
            // The exception's message has bytes, which may differ from the text that was given.
            throw new UsageException(
                    "--cache-ram: expected " + HostCacheLimit.EXPECTED + ", found " + size);
        }
    }
}
