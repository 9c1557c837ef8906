package dev.varve.platform.cli;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.util.Set;

/** Flags that are valid where an upstream server generates. */
final class ProxyFlags {
    /**
     * Valid flags beside those of prompt compression, among them those of connections to other
     * processes.
     */
    private static final Set<String> KNOWN =
            Set.of(
                    "--host",
                    "--port",
                    "--api-key",
                    "--api-key-file",
                    "--insecure",
                    "--tls-cert",
                    "--tls-key",
                    "--cors-origin",
                    "--allowed-host",
                    "--max-connections-per-client",
                    "--max-body",
                    "--metrics-aliases",
                    "--otlp-endpoint",
                    "--otlp-share",
                    "--threads",
                    "--threads-batch",
                    "--draft-device",
                    "--draft-residency",
                    "--draft-ipc-bin",
                    "--draft-ipc-work-dir",
                    "--target-shard-ipc-bin",
                    "--target-shard-ipc-work-dir",
                    "--target-shard-ggml-home",
                    "--shard-tls-cert",
                    "--shard-tls-key",
                    "--shard-tls-ca",
                    "--shard-token-file",
                    "--shard-insecure",
                    "--plugins",
                    "--ggml-home",
                    "--log-level",
                    "--log-format",
                    "--log-file",
                    "--log-file-size",
                    "--log-file-count",
                    "--debug");

    private ProxyFlags() {}

    /**
     * Rejects flags of a model of this process.
     *
     * @throws UsageException naming the first one
     */
    static void requireNoOthers(ParseResult given) {
        for (OptionSpec option : given.matchedOptions()) {
            String name = option.longestName();
            if (name.equals(CompressionArguments.ADAPTIVE)) {
                throw new UsageException(
                        name
                                + ": adapts to the accepted draft tokens of a model in this"
                                + " process, but the server runs no model with "
                                + UpstreamArguments.BASE);
            }
            boolean known =
                    KNOWN.contains(name)
                            || name.startsWith("--prefill-")
                            || name.startsWith("--flowkv");
            if (!known) {
                throw new UsageException(
                        name
                                + ": applies to a model in this process, but the server runs none"
                                + " with "
                                + UpstreamArguments.BASE);
            }
        }
    }
}
