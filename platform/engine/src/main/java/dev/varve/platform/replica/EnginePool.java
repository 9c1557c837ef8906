package dev.varve.platform.replica;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineCore;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.ReplicaControl;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.engine.RequestFailover;
import dev.varve.platform.engine.TransferableRequest;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.shard.lora.AdapterChange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Combines several engines of one model into one. A request goes to the replica that has most of
 * its prompt in its caches ({@link ReplicaRouter}). When an engine fails, or lacks a shard, its
 * requests continue at another one with the tokens that they have. A failed engine is loaded again.
 * Thread-safe.
 */
public final class EnginePool implements Engine {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Minimum lifetime in ns; after a shorter one, the pause before the next load grows. */
    private static final long SHORT_LIFE = Duration.ofMinutes(1).toNanos();

    private final List<Replica> replicas;
    private final LoadedEngine.Opener opener;
    private final ReplicaRestarter restarter;
    private final ActiveRequestCounter open = new ActiveRequestCounter();
    private final CompletableFuture<VarveException> broken = new CompletableFuture<>();
    private final ReplicaDrains drains;

    /** Changes of adapters by their numbers, for replicas that are loaded again; guards itself. */
    private final Map<Integer, AdapterChange> adapters = new TreeMap<>();

    /** Serializes routing; otherwise simultaneous requests would all go to the same replica. */
    private final Object choosing = new Object();

    private volatile boolean draining;
    private volatile boolean closed;

    private EnginePool(int count, LoadedEngine.Opener opener, ReplicaRestarter restarter) {
        replicas = IntStream.range(0, count).mapToObj(Replica::new).toList();
        this.opener = opener;
        this.restarter = restarter;
        drains = new ReplicaDrains(replicas, restarter, each -> load(each, 0));
    }

    /**
     * Creates a pool of running engines, which it owns from then on.
     *
     * @param members at least one, in the order of their numbers
     * @param opener loads a replacement for an engine that failed
     */
    public static EnginePool of(List<LoadedEngine> members, LoadedEngine.Opener opener) {
        return of(members, opener, Duration.ofSeconds(1), Duration.ofMinutes(1));
    }

    /** As above, with other pauses between attempts to load a replica. */
    static EnginePool of(
            List<LoadedEngine> members,
            LoadedEngine.Opener opener,
            Duration firstPause,
            Duration longest) {
        EnginePool pool =
                new EnginePool(members.size(), opener, new ReplicaRestarter(firstPause, longest));
        for (int i = 0; i < members.size(); i++) {
            pool.put(pool.replicas.get(i), members.get(i), 0);
        }
        return pool;
    }

    private void put(Replica replica, LoadedEngine member, int failures) {
        member.engine().setFailover(new PoolFailover(replica));
        replica.put(member);
        member.engine().broken().thenAccept(reason -> onFailure(replica, reason, failures));
    }

    /** Moves requests of one replica to the others. */
    private final class PoolFailover implements RequestFailover {
        private final Replica from;

        PoolFailover(Replica from) {
            this.from = from;
        }

        @Override
        public boolean isOpen() {
            return !closed
                    && replicas.stream().anyMatch(each -> each != from && each.acceptsRequests());
        }

        @Override
        public boolean accept(TransferableRequest request, VarveException reason) {
            if (closed || !(request.listener() instanceof RoutedRequest routed)) {
                return false;
            }
            if (!reason.kind().equals(VarveException.Kind.UNAVAILABLE) && from.failsAgain()) {
                from.member().ifPresent(each -> each.engine().fail(reason));
            }
            for (ReplicaRouter.Candidate<Replica> candidate : order(routed, Optional.of(from))) {
                if (adopt(candidate, routed, request)) {
                    from.countMove();
                    return true;
                }
            }
            return false;
        }
    }

    private static boolean adopt(
            ReplicaRouter.Candidate<Replica> candidate,
            RoutedRequest routed,
            TransferableRequest request) {
        Replica replica = candidate.replica();
        routed.assign(replica, candidate.cached());
        replica.prefixEstimate().add(routed.prompt());
        try {
            EngineCore engine = replica.member().orElseThrow(EnginePool::unavailable).engine();
            engine.adopt(request);
            return true;
        } catch (VarveException e) {
            routed.unassign();
            return false;
        }
    }

    private List<ReplicaRouter.Candidate<Replica>> order(
            RoutedRequest routed, Optional<Replica> without) {
        List<Replica> taking =
                replicas.stream()
                        .filter(each -> without.filter(other -> other == each).isEmpty())
                        .filter(Replica::acceptsRequests)
                        .toList();
        return ReplicaRouter.order(taking, routed.prompt());
    }

    @Override
    public List<GenerationHandle> submit(List<NewRequest> submissions) {
        if (draining || closed) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE, "the server is shutting down");
        }
        PromptBlockHashes prompt = PromptBlockHashes.of(submissions.getFirst().request().prompt());
        List<RoutedRequest> routedRequests =
                submissions.stream()
                        .map(each -> new RoutedRequest(each, prompt, open::less))
                        .toList();
        open.more(routedRequests.size());
        try {
            return place(routedRequests);
        } catch (RuntimeException | Error e) {
            routedRequests.forEach(each -> open.less());
            throw e;
        }
    }

    /** Tries one replica after the other, as long as the replica is the cause of the failure. */
    private List<GenerationHandle> place(List<RoutedRequest> routedRequests) {
        VarveException failure = unavailable();
        int tries = replicas.size();
        List<Replica> tried = new ArrayList<>();
        while (tries-- > 0) {
            Optional<Replica> chosen = choose(routedRequests, tried);
            if (chosen.isEmpty()) {
                break;
            }
            tried.add(chosen.get());
            try {
                return chosen.get()
                        .member()
                        .orElseThrow(EnginePool::unavailable)
                        .engine()
                        .submit(routedRequests.stream().map(RoutedRequest::submission).toList());
            } catch (VarveException e) {
                routedRequests.forEach(RoutedRequest::unassign);
                failure = e;
                if (!isOfReplica(e)) {
                    break;
                }
            }
        }
        throw broken.isDone() ? broken.join() : failure;
    }

    private static boolean isOfReplica(VarveException failure) {
        return RequestFailover.helps(failure) || failure.kind() == VarveException.Kind.OVERLOADED;
    }

    private static VarveException unavailable() {
        return new VarveException(
                VarveException.Kind.UNAVAILABLE,
                "no replica of the model can compute at the moment; try again later");
    }

    /** Returns the replica for requests of one prompt; they count against it from here on. */
    private Optional<Replica> choose(List<RoutedRequest> routedRequests, List<Replica> tried) {
        RoutedRequest first = routedRequests.getFirst();
        List<Replica> taking =
                replicas.stream()
                        .filter(each -> !tried.contains(each))
                        .filter(Replica::acceptsRequests)
                        .toList();
        synchronized (choosing) {
            Optional<ReplicaRouter.Candidate<Replica>> best =
                    ReplicaRouter.order(taking, first.prompt()).stream().findFirst();
            best.ifPresent(
                    chosen -> {
                        routedRequests.forEach(
                                each -> each.assign(chosen.replica(), chosen.cached()));
                        chosen.replica().prefixEstimate().add(first.prompt());
                    });
            return best.map(ReplicaRouter.Candidate::replica);
        }
    }

    /** Starts to reload a failed engine; the engine's own thread moves its requests. */
    private void onFailure(Replica replica, VarveException reason, int failures) {
        replica.markFailed(reason);
        if (closed || replica.drain().isPresent()) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "replica {0} is down and is loaded again: {1}",
                replica.id(),
                reason.getMessage());
        load(replica, replica.uptimeNanos() < SHORT_LIFE ? failures : 0);
    }

    private void load(Replica replica, int failures) {
        RestartAttempt attempt = new RestartAttempt(replica, failures);
        restarter.retryUntilSuccess(attempt::run, failures);
    }

    /** Attempts to load one replica again. */
    private final class RestartAttempt {
        private final Replica replica;
        private int failures;

        RestartAttempt(Replica replica, int failures) {
            this.replica = replica;
            this.failures = failures;
        }

        boolean run() {
            // A drain and a resumption may have happened since the last attempt.
            if (closed || replica.drain().isPresent() || replica.isLoaded()) {
                return true;
            }
            failures++;
            replica.removeEngine().ifPresent(LoadedEngine::close);
            try {
                open();
            } catch (RuntimeException e) {
                reportFailure(e);
                return false;
            } catch (Error e) {
                reportFailure(e);
                throw e;
            }
            LOG.log(System.Logger.Level.INFO, "replica {0} is back", replica.id());
            return true;
        }

        private void open() {
            LoadedEngine opened = opener.open(replica.id());
            synchronized (adapters) {
                try {
                    adapters.values().forEach(each -> opened.engine().adapt(each).join());
                } catch (RuntimeException e) {
                    opened.close();
                    throw e;
                }
                replica.countRestart();
                put(replica, opened, failures);
            }
            ReplicaWarmup.start(replica, opened, replicas);
        }

        private void reportFailure(Throwable failure) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "replica {0} cannot be loaded: {1}",
                    replica.id(),
                    String.valueOf(failure.getMessage()));
            replica.failResumption(
                    new VarveException(
                            VarveException.Kind.UNAVAILABLE,
                            "replica "
                                    + replica.id()
                                    + " cannot be loaded, which is tried again: "
                                    + failure.getMessage(),
                            failure));
            if (replicas.stream().allMatch(each -> each.member().isEmpty())) {
                broken.complete(
                        new VarveException(
                                VarveException.Kind.UNAVAILABLE,
                                "all replicas are down, and none can be loaded again: "
                                        + failure.getMessage(),
                                failure));
            }
        }
    }

    /**
     * Fails the engine of a replica: its requests continue at other replicas, and it is loaded
     * again.
     *
     * @param replica its number, from 0
     * @return whether the replica had an engine
     */
    public boolean restart(int replica) {
        Optional<LoadedEngine> member = replicas.get(replica).member();
        member.ifPresent(
                each ->
                        each.engine()
                                .fail(
                                        new VarveException(
                                                VarveException.Kind.UNAVAILABLE,
                                                "a restart of the replica was requested")));
        return member.isPresent();
    }

    @Override
    public Optional<ReplicaControl> replicaControl() {
        return Optional.of(drains);
    }

    @Override
    public EngineStatus status() {
        Map<Replica, EngineStatus> all = new HashMap<>();
        replicas.forEach(each -> each.status().ifPresent(status -> all.put(each, status)));
        EngineStatus sum =
                replicas.stream().map(all::get).reduce(EngineStatusSum::of).orElseThrow();
        List<ReplicaStatus> each =
                replicas.stream().map(replica -> replica.describe(all.get(replica))).toList();
        return new EngineStatus(
                sum.load(),
                sum.slots(),
                sum.memory(),
                sum.counts(),
                sum.cache(),
                sum.speculation(),
                sum.shards(),
                sum.draft(),
                sum.paging(),
                // No request waits while one replica is ready.
                sum.outage().filter(outage -> each.stream().noneMatch(ReplicaStatus::isReady)),
                each);
    }

    /** Returns a replica, for tests. */
    Replica replica(int id) {
        return replicas.get(id);
    }

    private Stream<EngineCore> engines() {
        return replicas.stream().flatMap(each -> each.member().stream()).map(LoadedEngine::engine);
    }

    @Override
    public CompletableFuture<List<CachedPrefixInfo>> cacheEntries() {
        List<CompletableFuture<List<CachedPrefixInfo>>> each =
                engines().map(EngineCore::cacheEntries).toList();
        return all(each)
                .thenApply(
                        nothing ->
                                each.stream()
                                        .flatMap(entries -> entries.join().stream())
                                        .sorted(Comparator.comparing(CachedPrefixInfo::idle))
                                        .toList());
    }

    @Override
    public CompletableFuture<Void> clearCache() {
        replicas.forEach(each -> each.prefixEstimate().clear());
        return all(engines().map(EngineCore::clearCache).toList());
    }

    @Override
    public CompletableFuture<Void> adapt(AdapterChange change) {
        CompletableFuture<Void> changed;
        synchronized (adapters) {
            if (change instanceof AdapterChange.Add && engines().findAny().isEmpty()) {
                // No shard could refuse it, and replicas that are loaded later would fail.
                return CompletableFuture.failedFuture(unavailable());
            }
            adapters.put(change.number(), change);
            changed = all(engines().map(engine -> engine.adapt(change)).toList());
        }
        return change instanceof AdapterChange.Add
                ? changed.exceptionallyCompose(failure -> undo(change.number(), failure))
                : changed;
    }

    /** Removes an adapter from all replicas; fails with the given failure. */
    private CompletableFuture<Void> undo(int adapter, Throwable failure) {
        return adapt(new AdapterChange.Remove(adapter))
                .handle((nothing, other) -> failure)
                .thenCompose(CompletableFuture::failedFuture);
    }

    @Override
    public CompletableFuture<Void> saveCache() {
        return all(engines().map(EngineCore::saveCache).toList());
    }

    private static CompletableFuture<Void> all(List<? extends CompletableFuture<?>> each) {
        return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new));
    }

    @Override
    public CompletableFuture<VarveException> broken() {
        return broken;
    }

    @Override
    public boolean drain(Duration limit) {
        draining = true;
        return open.awaitNone(limit);
    }

    @Override
    public void close() {
        closed = true;
        drains.close();
        List<LoadedEngine> members = engineMembers();
        members.forEach(LoadedEngine::close);
        restarter.close();
        // Engines that were being loaded meanwhile.
        replicas.forEach(each -> each.removeEngine().ifPresent(LoadedEngine::close));
    }

    private List<LoadedEngine> engineMembers() {
        return replicas.stream().flatMap(each -> each.removeEngine().stream()).toList();
    }
}
