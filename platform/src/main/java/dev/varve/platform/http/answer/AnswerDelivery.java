package dev.varve.platform.http.answer;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.resume.KeptStream;
import dev.varve.platform.http.resume.KeptStreams;
import dev.varve.platform.http.resume.ResumeRule;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Has pending answers generated and brings them to their clients. */
public final class AnswerDelivery {
    private static final String COMPRESSED = "x-prompt-compressed";

    private final Metrics metrics;
    private final SettingNames names;
    private final KeptStreams streams;
    private final ResumeRule rule;

    /**
     * Delivers answers, and tells the metrics of their times.
     *
     * @param names what settings are called in the messages of errors
     * @param streams keeps streams whose clients may come back
     * @param rule which ones
     */
    public AnswerDelivery(
            Metrics metrics, SettingNames names, KeptStreams streams, ResumeRule rule) {
        this.metrics = metrics;
        this.names = names;
        this.streams = streams;
        this.rule = rule;
    }

    /**
     * What makes answers.
     *
     * @param engine that generates them
     * @param hold keeps it for an answer that outlives its request, until what it gives is run
     */
    public record Source(Engine engine, Supplier<Runnable> hold) {}

    /**
     * Who gets an answer.
     *
     * @param probe tells whether the client went away
     */
    public record Client(
            HttpServletRequest request, HttpServletResponse response, ConnectionProbe probe) {}

    /**
     * Generates an answer and writes it, until it ends or its client is gone. A stream that is kept
     * goes on for a while without its client.
     *
     * @param caller whose computed prompts it may go on with
     * @throws IOException if the client went away
     * @throws ApiException if the engine refuses the request, or fails before anything was written
     */
    public Outcome deliver(
            AnswerPreparation preparation, Source source, Caller caller, Client client)
            throws IOException, InterruptedException {
        Optional<EarlyStream> early = EarlyStream.of(client.request());
        PendingAnswer pending =
                prepared(
                        preparation,
                        () ->
                                early.map(stream -> stream.isGone(preparation::streams))
                                        .orElseGet(client.probe()::isGone));
        pending.compression().ifPresent(report -> tell(report, client.response(), metrics));
        // A stream that began without its id is read to its end or not at all.
        Optional<KeptStream> kept =
                early.filter(EarlyStream::hasBegun).isEmpty() && isKept(pending, client.request())
                        ? keep(pending, source, caller)
                        : Optional.empty();
        return kept.isPresent()
                ? new KeptDelivery(kept.get(), client.probe(), client.response()).deliver(0)
                : write(pending, source.engine(), caller, client);
    }

    private boolean isKept(PendingAnswer pending, HttpServletRequest request) {
        return pending.delivery() != Delivery.WHOLE
                && rule.keeps(Optional.ofNullable(request.getHeader(ResumeRule.HEADER)));
    }

    /** Has an answer generated for whoever reads it; empty if there is no room to keep it. */
    private Optional<KeptStream> keep(PendingAnswer pending, Source source, Caller caller) {
        Choices choices = new Choices(pending.choices().size(), metrics, () -> {});
        StreamEvent sign =
                pending.format().waitsInOrder()
                        ? new StreamEvent.Comment("keep-alive")
                        : pending.format().waiting();
        Optional<KeptStream> stream =
                streams.open(caller.owner(), SseWriter.text(sign), choices::close);
        stream.ifPresent(
                each -> {
                    try {
                        submit(choices, pending, source.engine(), caller);
                    } catch (RuntimeException | Error e) {
                        streams.cancel(each);
                        throw e;
                    }
                    Runnable release = source.hold().get();
                    Thread.ofVirtual()
                            .name("varve-stream")
                            .start(new KeptAnswer(each, choices, pending, names, release));
                });
        return stream;
    }

    private Outcome write(PendingAnswer pending, Engine engine, Caller caller, Client client)
            throws IOException, InterruptedException {
        int count = pending.choices().size();
        try (Choices choices = new Choices(count, metrics, client.probe()::abort)) {
            submit(choices, pending, engine, caller);
            return new AnswerWriter(
                            new AnswerWriter.Reader(
                                    client.response(), client.probe()::isGone, names),
                            pending.format(),
                            pending.delivery())
                    .write(choices, count);
        }
    }

    private static void submit(
            Choices choices, PendingAnswer pending, Engine engine, Caller caller) {
        choices.submit(
                engine, pending.cache().within(caller.scope()), pending.choices(), pending.ended());
    }

    private static PendingAnswer prepared(AnswerPreparation preparation, BooleanSupplier gone)
            throws IOException {
        try {
            return preparation.work().prepare(gone);
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
