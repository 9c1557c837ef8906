package dev.varve.platform.http.answer;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.concurrent.CancellationException;

/** Has pending answers generated and brings them to their clients. */
public final class AnswerDelivery {
    private static final String COMPRESSED = "x-prompt-compressed";

    private final Metrics metrics;
    private final SettingNames names;

    /**
     * Delivers answers, and tells the metrics of their times.
     *
     * @param names what settings are called in the messages of errors
     */
    public AnswerDelivery(Metrics metrics, SettingNames names) {
        this.metrics = metrics;
        this.names = names;
    }

    /**
     * Generates an answer and writes it, until it ends or its client is gone.
     *
     * @param scope of its caller, whose computed prompts it may go on with
     * @throws IOException if the client went away
     * @throws ApiException if the engine refuses the request, or fails before anything was written
     */
    public Outcome deliver(
            AnswerPreparation preparation,
            Engine engine,
            CacheScope scope,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        try (ConnectionProbe probe = new ConnectionProbe(request)) {
            PendingAnswer pending = prepared(preparation, probe);
            pending.compression().ifPresent(report -> tell(report, response, metrics));
            int count = pending.choices().size();
            try (Choices choices = new Choices(count, metrics, probe::abort)) {
                choices.submit(
                        engine, pending.cache().within(scope), pending.choices(), pending.ended());
                Outcome outcome =
                        new AnswerWriter(
                                        new AnswerWriter.Reader(response, probe::isGone, names),
                                        pending.format(),
                                        pending.delivery())
                                .write(choices, count);
                if (probe.mustClose()) {
                    // The connection ends with the probe; the answer must be out by then.
                    response.flushBuffer();
                }
                return outcome;
            }
        }
    }

    private static PendingAnswer prepared(AnswerPreparation preparation, ConnectionProbe probe)
            throws IOException {
        try {
            return preparation.prepare(probe::isGone);
        } catch (CancellationException e) {
            throw new IOException("the client is gone", e);
        }
    }

    /** Tells a client, and the metrics, that a prompt became shorter. */
    public static void tell(
            CompressionReport report, HttpServletResponse response, Metrics metrics) {
        response.setHeader(COMPRESSED, "1");
        metrics.countCompression(report);
    }
}
