package dev.varve.testkit.simulation;

import java.util.concurrent.ThreadFactory;

/** Replaces {@link Thread.Builder} in simulated code. */
public final class SimulatedThreads {
    private String name = "thread";
    private long number = -1;

    /** Stands for {@link Thread#ofPlatform} and {@link Thread#ofVirtual}. */
    public static Object builder() {
        return new SimulatedThreads();
    }

    /** Stands for {@link Thread.Builder#name(String)}. */
    public static Object name(Object builder, String name) {
        SimulatedThreads it = (SimulatedThreads) builder;
        it.name = name;
        it.number = -1;
        return it;
    }

    /** Stands for {@link Thread.Builder#name(String, long)}. */
    public static Object name(Object builder, String name, long number) {
        SimulatedThreads it = (SimulatedThreads) builder;
        it.name = name;
        it.number = number;
        return it;
    }

    /** Stands for {@link Thread.Builder.OfPlatform#daemon(boolean)}. */
    public static Object daemon(Object builder, boolean daemon) {
        return builder;
    }

    /** Stands for {@link Thread.Builder.OfPlatform#daemon()}. */
    public static Object daemon(Object builder) {
        return builder;
    }

    /** Stands for {@link Thread.Builder#unstarted}. */
    public static Thread unstarted(Object builder, Runnable task) {
        return ((SimulatedThreads) builder).make(task);
    }

    /** Stands for {@link Thread.Builder#start}. */
    public static Thread start(Object builder, Runnable task) {
        Thread thread = unstarted(builder, task);
        thread.start();
        return thread;
    }

    /** Stands for {@link Thread#startVirtualThread}. */
    public static Thread startVirtualThread(Runnable task) {
        return start(builder(), task);
    }

    /** Stands for {@link Thread.Builder#factory}. */
    public static ThreadFactory factory(Object builder) {
        return ((SimulatedThreads) builder)::make;
    }

    private Thread make(Runnable task) {
        String full = number < 0 ? name : name + number++;
        return Simulation.current().unstarted(full, task);
    }
}
