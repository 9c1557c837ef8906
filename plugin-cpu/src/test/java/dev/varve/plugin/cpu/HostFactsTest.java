package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.HostCores;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

class HostFactsTest {
    private static final long GIB = 1L << 30;

    @TempDir Path root;

    @Test
    void hyperThreadsCountAsOneCore() {
        machine("0-7", 8, 4);

        assertEquals(4, new HostFacts(root).physicalCores());
    }

    @Test
    void coresOfSeveralSocketsAreDistinguished() {
        put("proc/self/status", "Cpus_allowed_list:\t0-3\n");
        for (int cpu = 0; cpu < 4; cpu++) {
            topology(cpu, cpu / 2, cpu % 2);
        }

        assertEquals(4, new HostFacts(root).physicalCores());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"0; 1", "0,8; 1", "0-1,8-9; 2", "0,3,5-7; 5", "8-15; 8"})
    void onlyCpusOfTheAffinityCount(String allowed, int expected) {
        machine(allowed, 16, 8);

        assertEquals(expected, new HostFacts(root).physicalCores());
    }

    @ParameterizedTest
    @CsvSource({
        "max 100000, 8",
        "400000 100000, 4",
        "250000 100000, 2",
        "50000 100000, 1",
        "1000 100000, 1",
        "1600000 100000, 8",
        "max, 8"
    })
    void cgroupV2QuotaLimits(String quota, int expected) {
        machine("0-7", 8, 8);
        put("sys/fs/cgroup/cpu.max", quota + "\n");

        assertEquals(expected, new HostFacts(root).physicalCores());
    }

    @ParameterizedTest
    @CsvSource({"-1, 8", "300000, 3", "50000, 1", "9000000, 8", "0, 8"})
    void cgroupV1QuotaLimits(String quota, int expected) {
        machine("0-7", 8, 8);
        put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota + "\n");
        put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");

        assertEquals(expected, new HostFacts(root).physicalCores());
    }

    @ParameterizedTest
    @ValueSource(strings = {"100000 0", "x y", "-5 100000", "100000 x", ""})
    void invalidQuotaIsIgnored(String quota) {
        machine("0-7", 8, 8);
        put("sys/fs/cgroup/cpu.max", quota);

        assertEquals(8, new HostFacts(root).physicalCores());
    }

    @Test
    void withoutTopologyEveryAllowedCpuIsACore() {
        put("proc/self/status", "Name:\tjava\nCpus_allowed_list:\t0-2\n");

        assertEquals(3, new HostFacts(root).physicalCores());
    }

    @Test
    void unreadableMachineHasOneCoreAndUnknownMemory() {
        HostFacts host = new HostFacts(root);

        assertEquals(1, host.physicalCores());
        assertEquals("CPU", host.processor());
        assertTrue(host.memoryTotal() > 1L << 50);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "3-", "1-0"})
    void invalidAffinityListCountsAsOneCpu(String list) {
        put("proc/self/status", "Cpus_allowed_list:\t" + list + "\n");

        assertEquals(1, new HostFacts(root).physicalCores());
    }

    @Test
    void kernelListsAreParsed() {
        assertEquals(Set.of(0, 1, 2, 3, 8, 10), HostCores.parseList("0-3,8, 10"));
    }

    @Test
    void memoryIsThatOfTheMachineWithoutALimit() {
        memory();
        assertMemory(64 * GIB, 48 * GIB);
        put("sys/fs/cgroup/memory.max", "max\n");
        assertMemory(64 * GIB, 48 * GIB);
    }

    @Test
    void cgroupV2MemoryLimitCounts() {
        memory();
        put("sys/fs/cgroup/memory.max", 16 * GIB + "\n");
        put("sys/fs/cgroup/memory.current", 6 * GIB + "\n");
        assertMemory(16 * GIB, 10 * GIB);
        put("sys/fs/cgroup/memory.current", 17 * GIB + "\n");
        assertMemory(16 * GIB, 0);
        put("sys/fs/cgroup/memory.max", 128 * GIB + "\n");
        assertMemory(64 * GIB, 48 * GIB);
    }

    @Test
    void cgroupV1MemoryLimitCounts() {
        memory();
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        put("sys/fs/cgroup/memory/memory.usage_in_bytes", 6 * GIB + "\n");
        assertMemory(64 * GIB, 48 * GIB);
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", 8 * GIB + "\n");
        assertMemory(8 * GIB, 2 * GIB);
    }

    @Test
    void lowestLimitOfTheParentGroupsCounts() {
        memory();
        put("proc/self/cgroup", "0::/user.slice/app.service\n");
        put("sys/fs/cgroup/user.slice/memory.max", 12 * GIB + "\n");
        put("sys/fs/cgroup/user.slice/memory.current", 11 * GIB + "\n");
        put("sys/fs/cgroup/user.slice/app.service/memory.max", 8 * GIB + "\n");
        put("sys/fs/cgroup/user.slice/app.service/memory.current", 3 * GIB + "\n");

        assertMemory(8 * GIB, GIB);
    }

    @Test
    void quotaOfAParentGroupLimits() {
        machine("0-7", 8, 8);
        put("proc/self/cgroup", "7:cpu,cpuacct:/box\n0::/a/b\n");
        put("sys/fs/cgroup/a/cpu.max", "500000 100000\n");
        put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
        assertEquals(5, new HostFacts(root).physicalCores());

        put("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "300000\n");
        put("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
        assertEquals(3, new HostFacts(root).physicalCores());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0::/../../etc", "0::/", "0::", "nonsense", "::::", "0::/absent"})
    void groupOutsideOfTheMountIsNotRead(String membership) {
        memory();
        put("proc/self/cgroup", membership + "\n");
        put("etc/memory.max", GIB + "\n");
        put("sys/etc/memory.max", GIB + "\n");

        assertMemory(64 * GIB, 48 * GIB);
    }

    @Test
    void unusedPageCacheIsFree() {
        memory();
        put("sys/fs/cgroup/memory.max", 16 * GIB + "\n");
        put("sys/fs/cgroup/memory.current", 15 * GIB + "\n");
        put("sys/fs/cgroup/memory.stat", "anon 5\nactive_file 7\ninactive_file " + 9 * GIB + "\n");

        assertMemory(16 * GIB, 10 * GIB);
    }

    @Test
    void processorIsNamed() {
        put(
                "proc/cpuinfo",
                "processor\t: 0\nmodel name\t: Some: Processor 9000\nmodel name\t: Other\n");

        assertEquals("Some: Processor 9000", new HostFacts(root).processor());
    }

    @Test
    void thisMachineHasCoresAndMemory() {
        HostFacts host = new HostFacts(Path.of("/"));

        assertTrue(
                host.physicalCores() >= 1
                        && host.physicalCores()
                                <= Math.max(1, Runtime.getRuntime().availableProcessors()));
        assertTrue(host.memoryTotal() >= host.memoryFree());
    }

    private void assertMemory(long total, long free) {
        HostFacts host = new HostFacts(root);
        assertEquals(total, host.memoryTotal());
        assertEquals(free, host.memoryFree());
    }

    private void memory() {
        put(
                "proc/meminfo",
                "MemTotal:       67108864 kB\nMemFree: 1 kB\nMemAvailable:   50331648 kB\n");
    }

    /** One socket whose CPUs beyond the number of cores are the second threads. */
    private void machine(String allowed, int cpus, int cores) {
        put(
                "proc/self/status",
                "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t" + allowed + "\n");
        for (int cpu = 0; cpu < cpus; cpu++) {
            topology(cpu, 0, cpu % cores);
        }
    }

    private void topology(int cpu, int socket, int core) {
        put("sys/devices/system/cpu/cpu" + cpu + "/topology/core_id", core + "\n");
        put("sys/devices/system/cpu/cpu" + cpu + "/topology/physical_package_id", socket + "\n");
    }

    private void put(String file, String content) {
        try {
            Path path = root.resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
