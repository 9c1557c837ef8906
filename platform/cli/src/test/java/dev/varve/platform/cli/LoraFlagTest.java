package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.host.LoraSettings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;

/** The flag of LoRA adapters. */
class LoraFlagTest {
    private static List<LoraSettings> read(String... flags) {
        LoraArguments parsed = new LoraArguments();
        new CommandLine(parsed).parseArgs(flags);
        return parsed.settings();
    }

    @Test
    void filesHaveScalesIfAny() {
        assertEquals(List.of(), read());
        assertEquals(
                List.of(
                        new LoraSettings(Path.of("a.gguf"), 1),
                        new LoraSettings(Path.of("b.gguf"), -0.5f),
                        new LoraSettings(Path.of("x=y.gguf"), 2)),
                read("--lora", "a.gguf", "--lora", "b.gguf=-0.5", "--lora", "x=y.gguf=2"));
    }

    @Test
    void adaptersMayBeLoadedWithoutEffect() {
        assertEquals(
                List.of(
                        new LoraSettings(Path.of("a.gguf"), 0),
                        new LoraSettings(Path.of("b.gguf"), 0)),
                read("--lora", "a.gguf", "--lora-init-without-apply", "--lora", "b.gguf=2"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.gguf=", "a.gguf=much", "a.gguf=NaN", "a.gguf=1e99", "=1"})
    void otherScalesAreRefused(String text) {
        UsageException refused = assertThrows(UsageException.class, () -> read("--lora", text));

        assertEquals(
                "--lora: expected FILE or FILE=SCALE with a finite number, found " + text,
                refused.getMessage());
    }
}
