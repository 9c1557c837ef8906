package dev.varve.testkit.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * One run: a seed, a clock and the threads of the simulated code. All of them are virtual threads
 * that the thread that calls {@link #run} carries, one at a time; the seed chooses which one
 * continues, and at which of the points of {@link #point} it has to stop for the others. The clock
 * advances when no thread can continue, and a little each time it is read.
 */
public final class Simulation {
    /** Switches between threads after which a run counts as endless. */
    private static final int MOST_SWITCHES = 3_000_000;

    private static final long NANOS_OF_A_LOOK = 200;

    /** Time for which threads of fakes may continue after the end of a scenario. */
    private static final long LAST_WORDS = 5_000_000_000L;

    private static volatile Simulation current;

    private final long seed;

    /** Whether threads switch only where they wait, so that times are those of the fakes. */
    private final boolean undisturbed;

    private final SplittableRandom random;

    /**
     * Source of the scenario's choices, separate so that they do not depend on how the threads
     * interleave.
     */
    private final SplittableRandom choices;

    private final List<Runnable> ready = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Map<Thread, String> threads = new LinkedHashMap<>();
    private final Map<String, Integer> hashes = new HashMap<>();
    private final List<String> events = new ArrayList<>();
    private final List<Runnable> atEnd = new ArrayList<>();
    private final SimulatedMonitors monitors = new SimulatedMonitors();
    private final Thread carrier = Thread.currentThread();

    /** One of so many points lets other threads continue. */
    private final int pointsPerSwitch;

    /** One of so many switches holds a thread up for a while. */
    private final int switchesPerStall;

    private long nanos = 1_000_000_000_000L;
    private long digest;
    private long order;
    private int uninterrupted;
    private int switches;
    private Optional<Throwable> failure = Optional.empty();
    private boolean over;
    private long overAt;

    private Simulation(long seed, boolean undisturbed) {
        this.seed = seed;
        this.undisturbed = undisturbed;
        SplittableRandom root = new SplittableRandom(seed);
        choices = root.split();
        random = root.split();
        pointsPerSwitch = 1 << random.nextInt(1, 8);
        switchesPerStall = 1 << random.nextInt(0, 8);
    }

    /** Record of a run; equal for equal seeds. */
    public record Trace(List<String> events, int switches, long nanos, long digest) {
        /** Copies the events. */
        public Trace {
            events = List.copyOf(events);
        }
    }

    /** An action that is due at a time. */
    public final class Timer implements Comparable<Timer> {
        private final long at;
        private final long number = order++;
        private final Runnable action;
        private boolean cancelled;

        private Timer(long at, Runnable action) {
            this.at = at;
            this.action = action;
        }

        /** Cancels the action if it has not run. */
        public void cancel() {
            cancelled = true;
        }

        /** Returns the time at which it is due. */
        public long at() {
            return at;
        }

        @Override
        public int compareTo(Timer other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    /** Runs a scenario; rethrows its failure, or fails if it leaves threads or actions behind. */
    static Trace run(long seed, Scenario scenario) {
        return run(new Simulation(seed, false), scenario);
    }

    /** Runs a scenario in the same way, without thread switches except at waits. */
    static Trace runUndisturbed(Scenario scenario) {
        return run(new Simulation(0, true), scenario);
    }

    private static Trace run(Simulation simulation, Scenario scenario) {
        current = simulation;
        try {
            return simulation.run(scenario);
        } finally {
            current = null;
        }
    }

    private Trace run(Scenario scenario) {
        start("scenario", () -> runGuarded(scenario));
        while (switches < MOST_SWITCHES) {
            fireTimers();
            if (!ready.isEmpty()) {
                switches++;
                next().run();
            } else if (over && isLate()) {
                throw failed("threads or timers are left");
            } else if (timers.isEmpty()) {
                return end();
            } else {
                nanos = Math.max(nanos, timers.peek().at);
            }
            if (failure.isPresent()) {
                return end();
            }
        }
        throw failed("there is no end");
    }

    /** Whether the next timer is due long after the end of the scenario. */
    private boolean isLate() {
        timers.removeIf(timer -> timer.cancelled);
        return !timers.isEmpty() && timers.peek().at > overAt + LAST_WORDS;
    }

    private Trace end() {
        failure.ifPresent(
                cause -> {
                    throw failed("it failed", cause);
                });
        threads.keySet().removeIf(thread -> !thread.isAlive());
        if (!over || !threads.isEmpty()) {
            throw failed(over ? "threads are left" : "nothing can continue");
        }
        return new Trace(events, switches, nanos, digest);
    }

    private void runGuarded(Scenario scenario) {
        try {
            scenario.run(this);
        } catch (Throwable e) {
            fail(e);
        } finally {
            atEnd.forEach(Runnable::run);
            over = true;
            overAt = nanos;
        }
    }

    private Runnable next() {
        int chosen = ready.size() == 1 ? 0 : random.nextInt(ready.size());
        digest = digest * 0x9E3779B97F4A7C15L + 31L * ready.size() + chosen;
        Runnable next = ready.get(chosen);
        ready.set(chosen, ready.getLast());
        ready.removeLast();
        return next;
    }

    private void fireTimers() {
        while (!timers.isEmpty() && timers.peek().at <= nanos) {
            Timer due = timers.poll();
            if (!due.cancelled) {
                due.action.run();
            }
        }
    }

    private SimulationFailure failed(String what, Throwable... cause) {
        StringBuilder text = new StringBuilder(what + ", " + switches + " switches\n");
        threads.forEach(
                (thread, name) -> {
                    if (thread.isAlive()) {
                        text.append("  thread ").append(name).append('\n');
                        StackTraceElement[] stack = thread.getStackTrace();
                        for (StackTraceElement frame : stack) {
                            if (frame.getClassName().startsWith("dev.varve")) {
                                text.append("    ").append(frame).append('\n');
                            }
                        }
                    }
                });
        int first = Math.max(0, events.size() - 40);
        events.subList(first, events.size())
                .forEach(each -> text.append("  ").append(each).append('\n'));
        return cause.length == 0
                ? new SimulationFailure(text.toString())
                : new SimulationFailure(text.append(cause[0]).toString(), cause[0]);
    }

    /** Returns the current run, for simulated code. */
    public static Simulation current() {
        return current;
    }

    /** Whether the caller is a thread of the current run. */
    static boolean isSimulated() {
        return current != null && Thread.currentThread().isVirtual();
    }

    /** Returns the random source of the scenario's work and faults. */
    public SplittableRandom choices() {
        return choices;
    }

    /** The seed of this run. */
    public long seed() {
        return seed;
    }

    /** Adds an event to the trace. */
    public void event(String what) {
        events.add((nanos - 1_000_000_000_000L) / 1_000 + " us " + what);
        digest = digest * 31 + what.hashCode();
    }

    boolean isInitialising() {
        return uninterrupted > 0;
    }

    /** Runs an action when the scenario is over, on its thread. */
    void atEnd(Runnable action) {
        atEnd.add(action);
    }

    /** Starts a simulated thread. */
    public Thread start(String name, Runnable task) {
        Thread thread = unstarted(name, task);
        thread.start();
        return thread;
    }

    Thread unstarted(String name, Runnable task) {
        Thread thread = VirtualThreads.unstarted(scheduler(), name, task);
        thread.setUncaughtExceptionHandler((any, e) -> fail(e));
        threads.put(thread, name);
        if (threads.size() > 64) {
            threads.keySet().removeIf(each -> each.getState() == Thread.State.TERMINATED);
        }
        return thread;
    }

    private void fail(Throwable cause) {
        if (failure.isEmpty()) {
            failure = Optional.of(cause);
        }
    }

    private Executor scheduler() {
        return continuation -> {
            if (Thread.currentThread() != carrier && !Thread.currentThread().isVirtual()) {
                fail(new SimulationFailure("a thread is woken from outside"));
            }
            ready.add(continuation);
        };
    }

    /** Lets other threads continue here if the seed chooses so. */
    static void point() {
        Simulation now = current;
        if (now != null && now.uninterrupted == 0 && Thread.currentThread().isVirtual()) {
            now.stop();
        }
    }

    private void stop() {
        if (undisturbed || random.nextInt(pointsPerSwitch) != 0) {
            return;
        }
        if (random.nextInt(switchesPerStall) == 0) {
            // As long as a switch, or as many calls of a disk.
            sleep(random.nextLong(1L << random.nextInt(10, 25)));
        } else {
            Thread.yield();
        }
    }

    /** Ignores points from here on: a class is being initialised, once for all runs. */
    public static void beginInitialiser() {
        if (isSimulated()) {
            current.uninterrupted++;
        }
    }

    /** The other end of {@link #beginInitialiser}. */
    public static void endInitialiser() {
        if (isSimulated()) {
            current.uninterrupted--;
        }
    }

    /** The hash of one more object of a class, the same in each run of a seed. */
    public static int nextHash(String type) {
        Simulation now = current;
        int number = now == null ? 0 : now.hashes.merge(type, 1, Integer::sum);
        return (type.hashCode() + number) * 0x9E37_79B1 | 1;
    }

    /** The simulated time. */
    public long nanoTime() {
        nanos += NANOS_OF_A_LOOK;
        return nanos;
    }

    /** Runs an action at a time, on the thread that carries all others. */
    public Timer at(long time, Runnable action) {
        Timer timer = new Timer(time, action);
        timers.add(timer);
        return timer;
    }

    /** Runs an action after a delay. */
    Timer after(long delay, Runnable action) {
        return at(delay > Long.MAX_VALUE - nanos ? Long.MAX_VALUE : nanos + delay, action);
    }

    /** Holds the calling thread up in simulated time, without any regard to interrupts. */
    public void sleep(long delay) {
        boolean[] due = new boolean[1];
        Thread thread = Thread.currentThread();
        Parking parking = new Parking(thread);
        after(
                delay,
                () -> {
                    due[0] = true;
                    parking.end();
                });
        while (!due[0]) {
            parking.park();
        }
    }

    SimulatedMonitors monitors() {
        return monitors;
    }
}
