package dev.varve.platform.grammar.regex;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** CPU time of threads. Java's management is started at the first use, which takes some 50 ms. */
final class ThreadCpu {
    private ThreadCpu() {}

    /** Of the calling thread; 0 where Java cannot measure it, as for virtual threads. */
    static long nanos() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return !Thread.currentThread().isVirtual() && threads.isCurrentThreadCpuTimeSupported()
                ? Math.max(0, threads.getCurrentThreadCpuTime())
                : 0;
    }
}
