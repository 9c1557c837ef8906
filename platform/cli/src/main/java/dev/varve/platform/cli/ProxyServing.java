package dev.varve.platform.cli;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.ProxyPrefillDrafter;
import dev.varve.platform.http.CompressionProxyServer;
import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.upstream.CompressionProxySettings;
import dev.varve.platform.http.upstream.UpstreamServer;
import dev.varve.platform.http.upstream.UpstreamTimeouts;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Serves chats by forwarding compressed prompts to an upstream server, until the process is asked
 * to stop.
 *
 * @param target the upstream server
 * @param compression settings of prompt compression
 * @param options options of this HTTP server
 */
record ProxyServing(UpstreamServer target, CompressionSettings compression, HttpOptions options) {
    /**
     * Creates it after checking that prompts are compressed.
     *
     * @throws UsageException if not
     */
    static ProxyServing of(
            UpstreamServer target, Optional<CompressionSettings> compression, HttpOptions options) {
        CompressionSettings settings =
                compression
                        .filter(ProxyServing::compresses)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                UpstreamArguments.BASE
                                                        + ": needs "
                                                        + CompressionArguments.MODE
                                                        + " auto or always and "
                                                        + PrefillDrafterOption.FLAG
                                                        + "; without them the server would not"
                                                        + " change any request"));
        return new ProxyServing(target, settings, options);
    }

    private static boolean compresses(CompressionSettings settings) {
        return settings.options().mode() != CompressionMode.OFF;
    }

    /**
     * Runs the server.
     *
     * @param drafter scores the tokens of prompts
     * @param say prints a line for the user
     * @param print prints a line of output
     */
    void run(
            ProxyPrefillDrafter drafter,
            GracefulShutdown stop,
            Consumer<String> say,
            Consumer<String> print)
            throws InterruptedException {
        CompressionProxySettings upstream =
                new CompressionProxySettings(
                        target,
                        UpstreamTimeouts.USUAL,
                        drafter.compressor(),
                        compression.drafter().getFileName().toString());
        try (CompressionProxyServer http = CompressionProxyServer.start(options, upstream)) {
            print.accept("Serving " + target + " on " + http.uri());
            stop.stopRequested().await();
            stop.drain(http::drain, say);
        }
    }
}
