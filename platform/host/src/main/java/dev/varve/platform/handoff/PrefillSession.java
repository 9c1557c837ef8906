package dev.varve.platform.handoff;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.prefix.PrefillPeer;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.wire.CallResponder;
import dev.varve.platform.wire.Handler;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves one decode server. Nothing is served before it has named the namespace of this server's
 * values. Its prompts are cancelled when it disconnects.
 */
final class PrefillSession implements Handler, AutoCloseable {
    /** Minimum tokens of a measurement of the prefill time. */
    static final int LEAST_MEASURED = 64;

    private static final System.Logger LOG = System.getLogger("dev.varve.handoff");

    private final PrefillService service;
    private final String peer;
    private final Set<GenerationHandle> running = ConcurrentHashMap.newKeySet();
    private boolean open;

    PrefillSession(PrefillService service, String peer) {
        this.service = service;
        this.peer = peer;
    }

    @Override
    public void handle(Message request, CallResponder call) {
        if (request.type() == HandOffMessages.OPEN) {
            open(request, call);
            return;
        }
        if (!open) {
            throw new WireException(
                    WireErrorCode.INVALID_REQUEST, "the connection has not named its model");
        }
        switch (request.type()) {
            case HandOffMessages.PREFILL -> prefill(HandOffMessages.job(request), call);
            case HandOffMessages.GET -> get(HandOffMessages.query(request), call);
            case HandOffMessages.HAS ->
                    call.reply(
                            HandOffMessages.existing(
                                    service.blocks()
                                            .existing(HandOffMessages.query(request).keys())));
            default ->
                    throw new WireException(
                            WireErrorCode.UNSUPPORTED,
                            "message type " + request.type() + " is not known");
        }
    }

    private void open(Message request, CallResponder call) {
        if (!service.isNamespace(HandOffMessages.namespace(request))) {
            throw new WireException(
                    WireErrorCode.UNSUPPORTED_MODEL,
                    "this prefill server has another model, or other cache types, numerics or"
                            + " backends");
        }
        open = true;
        call.reply(service.report().message(HandOffMessages.OPEN));
    }

    private void get(HandOffMessages.Query query, CallResponder call) {
        call.reply(
                HandOffMessages.values(
                        query.keys().stream()
                                .map(key -> service.blocks().get(key, query.mostBytes()))
                                .toList()));
    }

    private void prefill(PrefillPeer.Job job, CallResponder call) {
        Engine engine =
                service.engine()
                        .orElseThrow(
                                () ->
                                        new WireException(
                                                WireErrorCode.UNAVAILABLE,
                                                WireException.Retry.WORTHWHILE,
                                                "the model is being loaded"));
        Prefill prefill = new Prefill(engine, call);
        GenerationHandle handle = engine.submit(request(job), prefill);
        running.add(handle);
        prefill.ended.thenRun(() -> running.remove(handle));
        call.onCancel(handle::cancel);
    }

    /** One token, since an engine ends a request only after a token. */
    private static GenerationRequest request(PrefillPeer.Job job) {
        try {
            return new GenerationRequest(
                    new GenerationRequest.Prompt(job.tokens(), job.boundaries(), job.scope()),
                    new GenerationRequest.Ending(1, Set.of()),
                    GenerationRequest.Choice.of(SamplingOptions.greedy()),
                    0);
        } catch (IllegalArgumentException e) {
            throw new WireException(WireErrorCode.INVALID_REQUEST, e.getMessage());
        }
    }

    /** A prompt that is computed; the reply is sent once its blocks are in the store. */
    private final class Prefill implements GenerationListener {
        private final Engine engine;
        private final CallResponder call;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        Prefill(Engine engine, CallResponder call) {
            this.engine = engine;
            this.call = call;
        }

        @Override
        public boolean onToken(GeneratedToken token) {
            return false;
        }

        @Override
        public void onEnd(GenerationEnd end) {
            ended.complete(null);
            int computed = end.tokens().prompt() - end.tokens().cached();
            service.computed(computed, end.times().prefillMillis());
            engine.saveCache()
                    .whenComplete(
                            (saved, failure) -> {
                                if (failure == null) {
                                    LOG.log(
                                            System.Logger.Level.INFO,
                                            "computed {0} tokens for {1}; {2} were cached",
                                            computed,
                                            peer,
                                            end.tokens().cached());
                                    call.reply(service.report().message(HandOffMessages.PREFILL));
                                } else {
                                    call.fail(
                                            new WireException(
                                                    WireErrorCode.UNAVAILABLE,
                                                    "the blocks could not be stored"));
                                }
                            });
        }

        @Override
        public void onError(VarveException error) {
            ended.complete(null);
            call.fail(new WireException(WireErrorCode.of(error.kind()), error.getMessage()));
        }
    }

    /** Cancels the prompts that are computed for the decode server. */
    @Override
    public void close() {
        running.forEach(GenerationHandle::cancel);
    }
}
