package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.serving.LoadableModel;
import dev.varve.platform.http.serving.ModelCapability;
import dev.varve.platform.http.serving.ModelOutline;
import dev.varve.platform.http.serving.RunningModel;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A model of a test, whose engine says its id. */
final class ScriptedSource implements LoadableModel {
    final AtomicInteger loads = new AtomicInteger();
    final AtomicInteger closes = new AtomicInteger();

    /** Opens when loading begins. */
    final CountDownLatch begun = new CountDownLatch(1);

    /** Opens when a loaded model was closed. */
    final CountDownLatch closed = new CountDownLatch(1);

    private final String id;
    private final String stamp;
    private CountDownLatch start = new CountDownLatch(0);
    private volatile Optional<RuntimeException> failure = Optional.empty();
    private Runnable beforeLoad = () -> {};
    private volatile ScriptedEngine engine;

    ScriptedSource(String id) {
        this(id, "");
    }

    ScriptedSource(String id, String stamp) {
        this.id = id;
        this.stamp = stamp;
    }

    /** Loading waits until the latch opens. */
    ScriptedSource waitsFor(CountDownLatch latch) {
        start = latch;
        return this;
    }

    /** Loading fails from now on. */
    ScriptedSource fails(RuntimeException reason) {
        failure = Optional.of(reason);
        return this;
    }

    /** Loading works from now on. */
    void works() {
        failure = Optional.empty();
    }

    /** Something that loading does first; may fail. */
    ScriptedSource doesFirst(Runnable work) {
        beforeLoad = work;
        return this;
    }

    /** The engine that was loaded last can compute no more. */
    void breaks(VarveException reason) {
        engine.breaks(reason);
    }

    /** Whether it is loaded at the moment. */
    boolean isLoaded() {
        return loads.get() > closes.get();
    }

    @Override
    public ModelOutline outline() {
        return new ModelOutline(
                id,
                "Model " + id,
                "small",
                new ModelOutline.Context(1000, 100),
                1_700_000_000,
                ModelCapability.expected(Optional.of("{{ messages }}")));
    }

    @Override
    public String stamp() {
        return stamp;
    }

    @Override
    public RunningModel load() {
        begun.countDown();
        try {
            start.await();
        } catch (InterruptedException e) {
            throw new VarveException(VarveException.Kind.CANCELLED, "interrupted");
        }
        beforeLoad.run();
        failure.ifPresent(
                reason -> {
                    throw reason;
                });
        loads.incrementAndGet();
        ScriptedEngine loaded = new ScriptedEngine().says(SmallChat.answer(id));
        engine = loaded;
        ServedModel small = SmallChat.served(loaded);
        ServedModel served =
                new ServedModel(
                        new ModelDescription(id, "small", 1000, Map.of()),
                        loaded,
                        small.textProcessing());
        return new RunningModel(
                served,
                () -> {
                    loaded.close();
                    closes.incrementAndGet();
                    closed.countDown();
                });
    }
}
