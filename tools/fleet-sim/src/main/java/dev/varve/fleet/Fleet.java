package dev.varve.fleet;

import dev.varve.platform.engine.PlannedChunk;
import dev.varve.platform.replica.PromptBlockHashes;
import dev.varve.platform.replica.ReplicaRouter;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A fleet of replicas over simulated time. {@link #run} computes a number of requests and returns
 * what they had to wait. Not thread-safe; equal options, workloads and seeds give equal results.
 */
public final class Fleet {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Least tokens that are restored from the store, and least of a miss that is corrected. */
    private static final int MIN_TOKENS = 4 * PromptBlockHashes.TOKENS;

    /** Arrivals between two measurements of the router's index. */
    private static final int INDEX_SAMPLES = 256;

    private final FleetOptions options;
    private final Sessions workload;
    private final long requests;
    private final EventQueue events = new EventQueue();
    private final FleetMeter meter = new FleetMeter();
    private final SplittableRandom random;
    private final Routing routing;
    private final List<SimReplica> serving;
    private final List<SimReplica> forPrefill;
    private final Optional<SharedStore> store;

    /** Requests that arrived while no replica was open. */
    private final List<SimRequest> unplaced = new ArrayList<>();

    private long created;

    private Fleet(FleetOptions options, Sessions workload, long requests, long seed) {
        this.options = options;
        this.workload = workload;
        this.requests = requests;
        random = new SplittableRandom(seed);
        routing = new Routing(options.policy(), random.split());
        store = options.store().map(each -> new SharedStore(each, options.transfer()));
        serving = replicas(options.replicas() - options.prefillReplicas(), false);
        forPrefill = replicas(options.prefillReplicas(), true);
    }

    private List<SimReplica> replicas(int count, boolean prefillOnly) {
        List<SimReplica> created = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            created.add(new SimReplica(this, options, prefillOnly));
        }
        return List.copyOf(created);
    }

    /**
     * Simulates a fleet until all requests have ended.
     *
     * @param requests number of requests
     * @param seed of failures and of random routing
     */
    public static FleetResult run(
            FleetOptions options, Sessions workload, long requests, long seed) {
        return new Fleet(options, workload, requests, seed).run();
    }

    private FleetResult run() {
        serving.forEach(this::planFailure);
        forPrefill.forEach(this::planFailure);
        planSession();
        while (meter.ended() < requests && events.runNext()) {}
        if (meter.ended() != requests) {
            throw new IllegalStateException(
                    "of " + requests + " requests " + meter.ended() + " have ended");
        }
        return meter.result(
                options,
                Math.max(1, events.now()) / NANOS_PER_SECOND,
                store.map(SharedStore::bytes).orElse(0L));
    }

    EventQueue events() {
        return events;
    }

    StepCosts costs() {
        return options.costs();
    }

    boolean usesEvents() {
        return options.policy() == RoutingPolicy.EVENTS;
    }

    private void planSession() {
        events.at(
                workload.nextArrival(),
                () -> {
                    if (created < requests) {
                        arrive(workload.nextSession());
                        planSession();
                    }
                });
    }

    private void arrive(Sessions.Session session) {
        if (created == requests) {
            return;
        }
        created++;
        if (created % INDEX_SAMPLES == 0) {
            meter.countIndex(indexBlocks());
        }
        Turn turn = session.next();
        place(new SimRequest(created, turn, events.now(), false, () -> continueSession(session)));
    }

    private long indexBlocks() {
        return serving.stream().mapToLong(each -> each.prefixEstimate().used()).sum()
                / PromptBlockHashes.TOKENS;
    }

    private void continueSession(Sessions.Session session) {
        session.thinks().ifPresent(nanos -> events.at(events.now() + nanos, () -> arrive(session)));
    }

    /** Gives a request to the first replica that has room in its queue. */
    private void place(SimRequest request) {
        List<SimReplica> open = serving.stream().filter(SimReplica::isUp).toList();
        if (open.isEmpty()) {
            unplaced.add(request);
            return;
        }
        // A request that moves has been accepted already.
        boolean moves = request.attempt() > 0;
        for (Routing.Choice choice : routing.order(open, request)) {
            if (moves || choice.replica().hasQueueRoom()) {
                assign(request, choice);
                return;
            }
        }
        meter.countRejected();
    }

    private void assign(SimRequest request, Routing.Choice choice) {
        SimReplica replica = choice.replica();
        meter.countQueue(replica.queued());
        request.assign(choice.cached());
        if (options.policy() == RoutingPolicy.PREFIX) {
            replica.estimate().add(request.blocks());
        }
        replica.submit(request);
    }

    /** Records that a request got a place on a replica. */
    void started(SimReplica replica, SimRequest request, int cached) {
        if (request.isPrefillOnly()) {
            return;
        }
        if (request.start(events.now())) {
            meter.countStart(request.turn(), cached);
        }
        replica.estimate().correct(request.blocks(), cached);
    }

    /** Begins transfers for a request if they are sooner than computing; returns whether. */
    boolean awaitsPrefix(SimReplica replica, SimRequest request) {
        return !request.isPrefillOnly()
                && (restores(replica, request) || handsOff(replica, request));
    }

    private boolean restores(SimReplica replica, SimRequest request) {
        if (store.isEmpty()) {
            return false;
        }
        int most = request.turn().promptTokens() - 1;
        int stored = Math.min(most, store.get().lookup(request.turn()));
        int tokens = stored - request.computed();
        long now = events.now();
        boolean sooner =
                store.get().expectedEnd(now, tokens) - now < tokens * costs().columnNanos();
        if (tokens < MIN_TOKENS || !sooner) {
            return false;
        }
        meter.countRestored(tokens);
        loadAt(store.get().read(now, tokens), replica, request, stored);
        return true;
    }

    private void loadAt(long at, SimReplica replica, SimRequest request, int computed) {
        int attempt = request.attempt();
        events.at(
                at,
                () -> {
                    if (request.attempt() == attempt) {
                        replica.loaded(request, computed);
                    }
                });
    }

    private boolean handsOff(SimReplica replica, SimRequest request) {
        int missing = request.turn().promptTokens() - request.computed();
        List<SimReplica> open = forPrefill.stream().filter(SimReplica::isUp).toList();
        if (open.isEmpty() || missing < options.handOff().orElseThrow().minTokens()) {
            return false;
        }
        ReplicaRouter.Candidate<SimReplica> peer =
                ReplicaRouter.order(open, request.blocks()).getFirst();
        long there = peer.outstandingTokens() + request.turn().promptTokens() - peer.cached();
        long here = replica.promptTokensOwed() + missing;
        long peerNanos = options.handOff().orElseThrow().costs(costs()).columnNanos();
        if (there * peerNanos + tailNanos(missing) >= here * costs().columnNanos()) {
            return false;
        }
        meter.countHandOff();
        handOff(replica, peer, request, missing);
        return true;
    }

    /** Returns the time from the end of prefill to the arrival of its last window, in ns. */
    private long tailNanos(int missing) {
        FleetOptions.HandOff link = options.handOff().orElseThrow();
        long bytes = options.transfer().of(Math.min(missing, PlannedChunk.WINDOW));
        return link.latencyNanos() + (long) (NANOS_PER_SECOND * bytes / link.bytesPerSecond());
    }

    private void handOff(
            SimReplica replica,
            ReplicaRouter.Candidate<SimReplica> peer,
            SimRequest request,
            int missing) {
        int attempt = request.attempt();
        Runnable ended =
                () -> {
                    if (request.attempt() == attempt) {
                        loadAt(
                                events.now() + tailNanos(missing),
                                replica,
                                request,
                                request.turn().promptTokens() - 1);
                    }
                };
        SimRequest job =
                new SimRequest(request.number(), request.turn(), events.now(), true, ended);
        job.onLost(
                () -> {
                    if (request.attempt() == attempt) {
                        replica.loaded(request, request.computed());
                    }
                });
        job.assign(peer.cached());
        peer.replica().estimate().add(request.blocks());
        peer.replica().submit(job);
    }

    /** Records the end of a request on a replica. */
    void ended(SimReplica replica, SimRequest request) {
        if (!request.isPrefillOnly()) {
            meter.countEnd(request, events.now());
            store.ifPresent(each -> each.write(events.now(), request.turn(), request.known()));
        }
        replica.estimate().computed(request.blocks());
        request.end();
    }

    /** Records a change of a cache, and sends the event to the router. */
    void cacheChanged(SimReplica replica, long text, int before, int after) {
        meter.countEvents(before, after);
        if (usesEvents()) {
            int epoch = replica.epoch();
            events.at(
                    events.now() + options.eventDelayNanos(),
                    () -> {
                        if (replica.epoch() == epoch) {
                            replica.view().apply(text, after);
                        }
                    });
        }
    }

    private void planFailure(SimReplica replica) {
        options.failures()
                .ifPresent(
                        how -> {
                            double up = Workload.exponential(random, how.meanUptimeNanos());
                            events.at(events.now() + (long) up, () -> fail(replica, how));
                        });
    }

    private void fail(SimReplica replica, FleetOptions.Failures how) {
        meter.countFailure();
        List<SimRequest> lost = replica.fail(how.warm());
        events.at(events.now() + how.restartNanos(), () -> restart(replica));
        for (SimRequest request : lost) {
            if (request.isPrefillOnly()) {
                request.lose();
            } else {
                meter.countMoved();
                place(request);
            }
        }
    }

    private void restart(SimReplica replica) {
        replica.restart();
        planFailure(replica);
        List<SimRequest> waiting = List.copyOf(unplaced);
        unplaced.clear();
        waiting.forEach(this::place);
    }
}
