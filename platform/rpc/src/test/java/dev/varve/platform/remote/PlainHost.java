package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.Shard;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * The resources of a shard process in a test: one model file, one device, and plain-loop shards.
 */
final class PlainHost implements ShardResources, RangeLoader {
    static final String DEVICE = "plain:0";

    /** Devices that were opened, in their order. */
    final BlockingQueue<PlainDevice> opened = new LinkedBlockingQueue<>();

    /** Shards that were loaded, in their order. */
    final BlockingQueue<Loaded> loaded = new LinkedBlockingQueue<>();

    /** Called on the computing thread before a batch. */
    volatile Consumer<Batch> beforeBatch = batch -> {};

    /** Called when half of the weights are loaded. */
    volatile Runnable halfLoaded = () -> {};

    private final Path file;

    private final TensorDigests digests;

    PlainHost(Path file, TensorDigests digests) {
        this.file = file;
        this.digests = digests;
    }

    /** A shard that reports when it is freed. */
    final class Loaded extends PlainShard {
        final CompletableFuture<Void> freed = new CompletableFuture<>();

        /** Whether it says that it has exported what it kept to itself. */
        volatile boolean silent;

        private Loaded(PlainModel model, LayerRange range, Sizes sizes) {
            super(model, range, sizes);
        }

        @Override
        protected void beforeBatch(Batch batch) {
            beforeBatch.accept(batch);
        }

        @Override
        public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
            return silent ? CompletableFuture.completedFuture(null) : super.export(parts, target);
        }

        @Override
        public void close() {
            super.close();
            freed.complete(null);
        }
    }

    @Override
    public List<DeviceInfo> devices() {
        return List.of(new DeviceInfo(DEVICE, "plain loops", 1 << 30, 1 << 29, true));
    }

    @Override
    public ComputeDevice open(String device, DeviceOptions options) {
        DeviceInfo info =
                devices().stream()
                        .filter(each -> each.name().equals(device))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new VarveException(
                                                VarveException.Kind.UNAVAILABLE,
                                                device + ": this shard has no such device"));
        PlainDevice fresh = new PlainDevice(info, new CompletableFuture<>());
        opened.add(fresh);
        return fresh;
    }

    @Override
    public GgufFile model(String name) {
        if (!name.equals(file.getFileName().toString())) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE, name + ": this shard has no such model");
        }
        return GgufFile.open(file);
    }

    @Override
    public TensorDigests digests() {
        return digests;
    }

    @Override
    public LayerSplitAdapter adapter(GgufFile model, ModelOptions options) {
        return PlainModel.read(model);
    }

    @Override
    public Shard load(Place place, ShardLoadRequest request, LoadProgressListener progress) {
        // More would not fit what a test has.
        if (request.shard().capacities().slots() > 1 << 21
                || request.shard().capacities().stateRows() > 1 << 10) {
            throw new VarveException(VarveException.Kind.OUT_OF_MEMORY, "caches exceed the test's");
        }
        if (!(place.adapter() instanceof PlainModel model)) {
            throw new IllegalArgumentException("not a plain model: " + place.adapter());
        }
        long bytes =
                model.tensors(request.range()).entries().stream()
                        .mapToLong(entry -> entry.tensor().bytes())
                        .sum();
        progress.loaded(bytes / 2, bytes);
        halfLoaded.run();
        Loaded shard = new Loaded(model, request.range(), PlainShard.Sizes.of(request.shard()));
        progress.loaded(bytes, bytes);
        loaded.add(shard);
        return shard;
    }
}
