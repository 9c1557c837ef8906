package dev.varve.platform.http;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.ShardMemory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An engine that says the same token at a steady pace until its listener has enough. */
final class PacedEngine extends EngineStub {
    private static final int CONTEXT = 4096;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final Duration pace;
    private final int token;
    private final AtomicInteger all = new AtomicInteger();

    /** Opens when a speech is cancelled, or its listener has enough before its end. */
    final CountDownLatch ended = new CountDownLatch(1);

    PacedEngine(Duration pace, int token) {
        this.pace = pace;
        this.token = token;
    }

    @Override
    public List<GenerationHandle> submit(List<NewRequest> submissions) {
        return submissions.stream().map(each -> speak(each.request(), each.listener())).toList();
    }

    private GenerationHandle speak(GenerationRequest request, GenerationListener listener) {
        AtomicInteger said = new AtomicInteger();
        Future<?> speech =
                thread.scheduleAtFixedRate(
                        () -> say(request, listener, said),
                        0,
                        pace.toNanos(),
                        TimeUnit.NANOSECONDS);
        return () -> {
            speech.cancel(false);
            ended.countDown();
        };
    }

    /** Throws when all is said, which ends the schedule. */
    private void say(GenerationRequest request, GenerationListener listener, AtomicInteger said) {
        if (said.get() == 0) {
            listener.onStart(0);
        }
        int count = said.incrementAndGet();
        all.incrementAndGet();
        boolean more = listener.onToken(new GeneratedToken(token, Optional.empty()));
        if (!more || count == request.ending().maxTokens()) {
            listener.onEnd(
                    new GenerationEnd(
                            GenerationEnd.Reason.LENGTH,
                            new GenerationEnd.Tokens(request.prompt().length(), 0, count),
                            new GenerationEnd.Times(1, 2, 3),
                            PrefixLookupResult.missed(MissReason.UNKNOWN)));
            throw new IllegalStateException("all is said");
        }
    }

    /** Waits until so many tokens were said. */
    void saidAtLeast(int tokens) {
        while (all.get() < tokens) {
            Thread.onSpinWait();
        }
    }

    @Override
    public EngineStatus status() {
        return new EngineStatus(
                new EngineStatus.Load(CONTEXT, 4, 0, 0),
                new KvSlotUsage(256, 0, 0),
                new ShardMemory(1, 0, 1, 1),
                EngineStatus.EngineCounters.NONE,
                PrefixCacheStatus.NONE,
                List.of());
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
