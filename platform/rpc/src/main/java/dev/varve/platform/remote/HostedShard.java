package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.local.ShardDevices;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.platform.wire.Message;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** Loaded range of a session: translates between its messages and the shard. For one thread. */
final class HostedShard extends SessionModel {
    private final Shard shard;
    private final GgufFile file;
    private final LayerSplitAdapter model;
    private final ShardResources host;
    private final BatchCodec batches;
    private final ResultCodec results;
    private final CachePartCodec parts;

    private HostedShard(
            Shard shard,
            RangeLoader.Place place,
            ShardResources host,
            BoundaryType type,
            LoadedTensorDigests tensors) {
        super(place.devices().own(), place.devices().others(), tensors);
        LayerSplitAdapter adapter = place.adapter();
        this.shard = shard;
        this.host = host;
        file = place.file();
        model = AdaptedModel.base(adapter);
        batches = batchCodec(adapter, shard.range(), type);
        results = resultCodec(adapter, shard.range(), type);
        parts = new CachePartCodec(shard.range());
    }

    /**
     * Loads a range.
     *
     * @throws dev.varve.api.VarveException if the file is missing or differs from the server's, or
     *     memory is insufficient
     */
    static HostedShard open(
            ShardLoadRequest request,
            ShardResources host,
            RangeLoader loader,
            LoadProgressListener progress) {
        ShardLoadRequest.Model model = request.model();
        GgufFile file = host.model(model.name());
        LayerSplitAdapter plain = host.adapter(file, model.options());
        ShardLoadRequest.Model mine = ShardLoadRequest.Model.of(file, plain, model.options());
        model.requireAlike(mine);
        LayerSplitAdapter adapter = adapted(request, file, plain, host);
        ComputeDevice device = host.open(request.device().name(), request.device().options());
        Map<String, ComputeDevice> others = new HashMap<>();
        try {
            for (String name : request.tensors().others()) {
                others.put(name, host.open(name, request.device().options()));
            }
            ShardDevices devices = ShardDevices.of(device, request.tensors(), others::get);
            LoadedTensorDigests tensors =
                    LoadedTensorDigests.of(
                            adapter.tensors(request.range()),
                            model.hasSameFiles(mine) && hasSameAdapters(request, adapter),
                            host,
                            progress);
            RangeLoader.Place place = new RangeLoader.Place(file, adapter, devices);
            Shard shard = loader.load(place, request, tensors.progress());
            return new HostedShard(shard, place, host, request.boundaryType(), tensors);
        } catch (RuntimeException | Error e) {
            others.values().forEach(ComputeDevice::close);
            device.close();
            throw e;
        }
    }

    private static LayerSplitAdapter adapted(
            ShardLoadRequest request, GgufFile file, LayerSplitAdapter plain, ShardResources host) {
        SortedMap<Integer, LoraAdapter> adapters = new TreeMap<>();
        request.adapters().forEach(each -> adapters.put(each.number(), each.open(host)));
        return AdaptedModel.of(file, plain, adapters);
    }

    private static boolean hasSameAdapters(ShardLoadRequest request, LayerSplitAdapter model) {
        SortedMap<Integer, LoraAdapter> mine = AdaptedModel.numbered(model);
        return request.adapters().stream()
                .allMatch(each -> each.hasSameFile(mine.get(each.number())));
    }

    static BatchCodec batchCodec(LayerSplitAdapter adapter, LayerRange range, BoundaryType type) {
        return new BatchCodec(
                type,
                range.begin() == 0 ? 0 : adapter.boundaryLength(range.begin()),
                new ImageCodec(adapter.shape().embeddingLength()));
    }

    static ResultCodec resultCodec(LayerSplitAdapter adapter, LayerRange range, BoundaryType type) {
        boolean ends = range.end() == adapter.shape().layerCount();
        return new ResultCodec(
                type,
                range,
                ends ? OptionalInt.empty() : OptionalInt.of(adapter.boundaryLength(range.end())),
                adapter.shape().vocabularySize(),
                adapter.shape().embeddingLength());
    }

    @Override
    ShardMemory memory() {
        return shard.memory();
    }

    @Override
    Collection<Integer> processors() {
        return shard.computesOn().processors();
    }

    Message forward(Message request) {
        BatchCodec.Received received = batches.decode(request);
        return respond(received, () -> shard.forward(received.batch(), received.boundary()));
    }

    Message warmUp(Message request) {
        BatchCodec.Received received = batches.decode(request);
        return respond(received, () -> shard.warmUp(received.batch(), received.boundary()));
    }

    private Message respond(
            BatchCodec.Received received, Supplier<CompletableFuture<ShardResult>> work) {
        long begin = System.nanoTime();
        ShardResult result = join(work.get());
        return results.encode(received.batch(), result, shard.memory(), System.nanoTime() - begin);
    }

    Message change(Message request) {
        join(shard.change(CacheChangeCodec.decode(request)));
        return Message.of(MessageType.CHANGE);
    }

    Message export(Message request) {
        List<CachePart> wanted = parts.decode(request.meta());
        CachePartPayload payload = CachePartPayload.empty(wanted);
        join(shard.export(wanted, payload));
        return new Message(MessageType.EXPORT, new FieldWriter().done(), payload.bytes());
    }

    Message adopt(Message request) {
        List<CachePart> given = parts.decode(request.meta());
        join(shard.adopt(given, CachePartPayload.of(given, request.payload())));
        return Message.of(MessageType.ADOPT);
    }

    /**
     * Adds an adapter and responds with the memory and the digests of its matrices.
     *
     * @throws dev.varve.api.VarveException if the file is missing or differs from the server's,
     *     does not fit the model, or memory is insufficient
     */
    Message add(LoraReference reference, LoadProgressListener progress) {
        LoraAdapter adapter = reference.open(host);
        AdaptedModel.requireFits(file, model, adapter);
        LoadedTensorDigests tensors =
                LoadedTensorDigests.of(
                        AdaptedModel.matrices(model, shard.range(), reference.number(), adapter),
                        reference.hasSameFile(adapter),
                        host,
                        progress);
        join(shard.adapt(new AdapterChange.Add(reference.number(), adapter)));
        Optional<Map<String, String>> digests;
        try {
            digests = tensors.await();
        } catch (RuntimeException | Error e) {
            join(shard.adapt(new AdapterChange.Remove(reference.number())));
            throw e;
        }
        FieldWriter fields = new FieldWriter();
        ResultCodec.putMemory(fields, memory());
        DigestCodec.put(fields, digests);
        return new Message(MessageType.ADD_ADAPTER, fields.done(), DigestCodec.payload(digests));
    }

    /** Removes an adapter and responds with the memory. */
    Message remove(int adapter) {
        join(shard.adapt(new AdapterChange.Remove(adapter)));
        FieldWriter fields = new FieldWriter();
        ResultCodec.putMemory(fields, memory());
        return Message.of(MessageType.REMOVE_ADAPTER, fields.done());
    }

    private static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        shard.close();
        super.close();
    }
}
