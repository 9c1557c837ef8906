package dev.varve.platform.cli;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.util.Set;

/** Which flags mean anything where another server answers. */
final class ProxyFlags {
    /** Beside those of compression itself. */
    private static final Set<String> KNOWN =
            Set.of(
                    "--host",
                    "--port",
                    "--api-key",
                    "--api-key-file",
                    "--insecure",
                    "--cors-origin",
                    "--allowed-host",
                    "--max-connections-per-client",
                    "--max-body",
                    "--threads",
                    "--threads-batch",
                    "--draft-device",
                    "--draft-residency",
                    "--plugins",
                    "--ggml-home",
                    "--log-level",
                    "--debug");

    private ProxyFlags() {}

    /**
     * Refuses flags that are about a model of this process.
     *
     * @throws UsageException that names the first one
     */
    static void requireNoOthers(ParseResult given) {
        for (OptionSpec option : given.matchedOptions()) {
            String name = option.longestName();
            boolean known =
                    KNOWN.contains(name)
                            || name.startsWith("--prefill-")
                            || name.startsWith("--flowkv");
            if (!known) {
                throw new UsageException(
                        name
                                + ": is about a model of this process, and there is none with "
                                + UpstreamArguments.BASE);
            }
        }
    }
}
