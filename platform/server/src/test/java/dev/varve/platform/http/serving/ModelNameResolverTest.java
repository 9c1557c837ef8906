package dev.varve.platform.http.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

class ModelNameResolverTest {
    private static final List<String> IDS = List.of("first", "gpt-own", "third");

    @ParameterizedTest
    @CsvSource({
        "first, first",
        "third, third",
        "third.gguf, third",
        "/models/third.gguf, third",
        "org/third, third",
        "gpt-own, gpt-own",
        "gpt-4o, first",
        "claude-sonnet-4-5, first",
        "openai/o3-mini, first",
        "fast, third",
        "org/first, third",
        "demo:first, first",
        "llama,",
        "third.bin,",
        "'',"
    })
    void nameMatchesOneModelOrNone(String name, String id) {
        ModelNameResolver names =
                new ModelNameResolver(Map.of("fast", "third", "org/first", "third"), false)
                        .with(Map.of("demo:first", "first", "fast", "first"));

        assertEquals(Optional.ofNullable(id), names.resolve(name, IDS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama", "gpt-4o", "org/any:latest", "", "FIRST"})
    void anyNameMatchesTheOnlyModel(String name) {
        List<String> only = List.of("first");

        ModelNameResolver usual = ModelNameResolver.usual().ofOnly("first");
        ModelNameResolver strict = new ModelNameResolver(Map.of(), true).ofOnly("first");

        assertEquals(Optional.of("first"), usual.resolve(name, only));
        assertEquals(Optional.empty(), strict.resolve(name, only));
    }

    @Test
    void strictServerRefusesAgentNames() {
        ModelNameResolver names = new ModelNameResolver(Map.of(), true);

        assertEquals(Optional.empty(), names.resolve("gpt-4o", IDS));
        assertEquals(Optional.of("gpt-own"), names.resolve("gpt-own", IDS));
    }
}
