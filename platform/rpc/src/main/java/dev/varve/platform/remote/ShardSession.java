package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.wire.CallResponder;
import dev.varve.platform.wire.Handler;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Shard process's side of one connection: loads a layer range, a draft model, a text-scoring model
 * or an image encoder on request, computes, and frees everything when the connection ends. The
 * session's own thread executes requests one after the other, so the connection's reader can always
 * respond.
 */
public final class ShardSession implements Handler, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.remote");

    private final ShardResources host;
    private final RangeLoader loader;

    /** Used by the computing thread alone, like the other models. */
    private final SessionModelSlot<HostedShard> range =
            new SessionModelSlot<>("no range is loaded");

    private final SessionModelSlot<HostedDraft> draft =
            new SessionModelSlot<>("no draft model is loaded");
    private final SessionModelSlot<HostedTextScorer> scorer =
            new SessionModelSlot<>("no text-scoring model is loaded");
    private final SessionModelSlot<HostedImageEncoder> images =
            new SessionModelSlot<>("no image encoder is loaded");
    private final AtomicLong progress = new AtomicLong();
    private final ExecutorService compute =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("varve-shard-compute").daemon(true).factory());

    /** Creates a session without a range. */
    public ShardSession(ShardResources host) {
        this(host, RangeLoader.local());
    }

    /** Creates a session with another range loader. */
    ShardSession(ShardResources host, RangeLoader loader) {
        this.host = host;
        this.loader = loader;
    }

    /**
     * Returns a counter that grows with all work, so that the server can distinguish a stuck
     * computation from a long one.
     */
    public long progress() {
        return progress.get();
    }

    /**
     * Runs the start of a request; this is the channel's executor. Runs it directly on the
     * computing thread, since each thread hand-over costs as much as the transfer between the
     * processes.
     */
    void execute(Runnable start) {
        try {
            compute.execute(start);
        } catch (RejectedExecutionException e) {
            LOG.log(System.Logger.Level.DEBUG, "a request arrived after the end of the session");
        }
    }

    @Override
    public void handle(Message request, CallResponder call) {
        work(request, call);
    }

    private void work(Message request, CallResponder call) {
        progress.incrementAndGet();
        try {
            if (call.isCancelled()) {
                throw new WireException(
                        WireErrorCode.CANCELLED,
                        WireException.Retry.WORTHWHILE,
                        "the request was cancelled before it began");
            }
            call.reply(dispatch(request, call));
        } catch (WireException e) {
            call.fail(e);
        } catch (VarveException e) {
            call.fail(new WireException(WireErrorCode.of(e.kind()), e.getMessage()));
        } catch (IllegalArgumentException | IllegalStateException e) {
            // The caches reject the request; the server made the mistake.
            call.fail(new WireException(WireErrorCode.INVALID_REQUEST, e.getMessage()));
        } catch (RuntimeException | Error e) {
            // Every failure needs a response: the server waits for it.
            LOG.log(System.Logger.Level.ERROR, "a request failed", e);
            call.fail(new WireException(WireErrorCode.INTERNAL, "the shard failed: " + e));
        } finally {
            progress.incrementAndGet();
        }
    }

    private Message dispatch(Message request, CallResponder call) {
        LoadProgressListener reports = progressOf(call, request.type());
        return switch (request.type()) {
            case MessageType.DESCRIBE -> describe();
            case MessageType.LOAD ->
                    range.load(
                            ShardLoadRequest.decode(request),
                            each -> HostedShard.open(each, host, loader, reports));
            case MessageType.LOAD_DRAFT ->
                    draft.load(
                            DraftLoadRequest.decode(request),
                            each -> HostedDraft.open(each, host, reports));
            case MessageType.DRAFT -> draft.current().step(request);
            case MessageType.LOAD_SCAN ->
                    scorer.load(
                            TextScorerLoadRequest.decode(request),
                            each -> HostedTextScorer.open(each, host, reports));
            case MessageType.SCAN -> scorer.current().read(request, call::isCancelled, reports);
            case MessageType.LOAD_IMAGES ->
                    images.load(
                            ImageEncoderLoadRequest.decode(request),
                            each -> HostedImageEncoder.open(each, host, reports));
            case MessageType.ENCODE_IMAGE ->
                    images.current().encode(request, call::isCancelled, reports);
            case MessageType.UNLOAD -> {
                free();
                yield Message.of(MessageType.UNLOAD);
            }
            case MessageType.FORWARD, MessageType.FORWARD_IMAGES ->
                    range.current().forward(request);
            case MessageType.WARM_UP -> range.current().warmUp(request);
            case MessageType.EXPORT -> range.current().export(request);
            case MessageType.ADOPT -> range.current().adopt(request);
            case MessageType.ADD_ADAPTER ->
                    range.current().add(LoraReference.decodeAdd(request), reports);
            case MessageType.REMOVE_ADAPTER ->
                    range.current().remove(LoraReference.decodeRemove(request));
            case MessageType.CHANGE -> range.current().change(request);
            default ->
                    throw new WireException(
                            WireErrorCode.UNSUPPORTED,
                            "message type " + request.type() + " is not known");
        };
    }

    /** Returns a listener that sends progress to the server and stops cancelled work. */
    private LoadProgressListener progressOf(CallResponder call, int type) {
        return (done, total) -> {
            progress.incrementAndGet();
            if (call.isCancelled()) {
                throw new WireException(
                        WireErrorCode.CANCELLED,
                        WireException.Retry.WORTHWHILE,
                        "the request was cancelled");
            }
            call.progress(Message.of(type, new FieldWriter().number(total).number(done).done()));
        };
    }

    private void free() {
        range.close();
        draft.close();
        scorer.close();
        images.close();
    }

    private Message describe() {
        FieldWriter fields = new FieldWriter();
        List<DeviceInfo> devices = host.devices();
        fields.number(devices.size());
        for (DeviceInfo device : devices) {
            fields.text(device.name())
                    .text(device.description())
                    .number(device.memoryTotalBytes())
                    .number(device.memoryFreeBytes())
                    .flag(device.hostCores());
        }
        return Message.of(MessageType.DESCRIBE, fields.done());
    }

    /** Frees the range once the current request is done, and waits for that. */
    @Override
    public void close() {
        try {
            compute.execute(this::free);
        } catch (RejectedExecutionException e) {
            return;
        }
        compute.shutdown();
        try {
            compute.awaitTermination(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
