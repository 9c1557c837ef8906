package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.runtime.HostCacheLimit;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;

class HostCacheArgumentsTest {
    private static HostCacheLimit limit(String... arguments) {
        HostCacheArguments parsed = new HostCacheArguments();
        new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("cache", spec(parsed)))
                .parseArgs(arguments);
        return parsed.limit();
    }

    private static CommandLine.Model.CommandSpec spec(HostCacheArguments arguments) {
        return CommandLine.Model.CommandSpec.forAnnotatedObject(arguments);
    }

    @Test
    void defaultIsAFractionOfTheFreeMemory() {
        assertEquals(HostCacheLimit.USUAL, limit());
    }

    @Test
    void zeroDisablesTheHostCache() {
        assertEquals(HostCacheLimit.NONE, limit("--cache-ram", "0"));
        assertEquals(HostCacheLimit.NONE, limit("--cache-ram=0G"));
    }

    @Test
    void sizeIsUsedAsGiven() {
        assertEquals(new HostCacheLimit.Fixed(3L << 30), limit("--cache-ram", "3G"));
        assertEquals(new HostCacheLimit.Fixed(1 << 20), limit("--cache-ram", "1024k"));
    }
}
