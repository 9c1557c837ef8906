package dev.varve.platform.cli;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.StandalonePrefillDrafter;
import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.ProxyServer;
import dev.varve.platform.http.upstream.Upstream;
import dev.varve.platform.http.upstream.UpstreamLimits;
import dev.varve.platform.http.upstream.UpstreamTarget;

import java.util.Optional;

/**
 * Serves chats by forwarding compressed prompts to an upstream server, until the process is asked
 * to stop.
 *
 * @param target the upstream server
 * @param compression settings of prompt compression
 * @param options options of this HTTP server
 */
record ProxyServing(UpstreamTarget target, CompressionSettings compression, HttpOptions options) {
    /** Output of the command. */
    interface Speech {
        /** Prints a line for the user. */
        void say(String line);

        /** Prints a line of output. */
        void print(String line);
    }

    /**
     * Creates it after checking that prompts are compressed.
     *
     * @throws UsageException if not
     */
    static ProxyServing of(
            UpstreamTarget target, Optional<CompressionSettings> compression, HttpOptions options) {
        CompressionSettings settings =
                compression
                        .filter(ProxyServing::compresses)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                UpstreamArguments.BASE
                                                        + ": needs "
                                                        + CompressionFlags.MODE
                                                        + " auto or always and "
                                                        + CompressionFlags.DRAFTER
                                                        + "; without them there is nothing to do"
                                                        + " between clients and that server"));
        return new ProxyServing(target, settings, options);
    }

    private static boolean compresses(CompressionSettings settings) {
        return settings.options().policy().mode() != CompressionMode.OFF;
    }

    /**
     * Runs the server.
     *
     * @param drafter scores the tokens of prompts
     */
    void run(StandalonePrefillDrafter drafter, GracefulShutdown stop, Speech speech)
            throws InterruptedException {
        Upstream upstream =
                new Upstream(
                        target,
                        UpstreamLimits.USUAL,
                        drafter.compressor(),
                        compression.drafter().getFileName().toString());
        try (ProxyServer http = ProxyServer.start(options, upstream)) {
            speech.print("Serving " + target + " on " + http.uri());
            stop.asked().await();
            stop.drain(http::drain, speech::say);
        }
    }
}
