package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlLibrary;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.function.Supplier;

/** What holds for the providers of every SPI. */
final class ProviderRules {
    private ProviderRules() {}

    /** The service loader can make one, and making it loads nothing. */
    static void requireCheap(Supplier<?> provider) {
        boolean loaded = GgmlLibrary.isLoaded();

        Class<?> type = provider.get().getClass();

        assertEquals(loaded, GgmlLibrary.isLoaded(), type + ": its constructor loads ggml");
        assertTrue(Modifier.isPublic(type.getModifiers()), type + " is not public");
        assertTrue(
                Arrays.stream(type.getConstructors())
                        .anyMatch(constructor -> constructor.getParameterCount() == 0),
                type + " has no public constructor without parameters");
    }

    /** A name that people type before a colon. */
    static void requireWord(String name) {
        assertTrue(
                name.matches("[a-z][a-z0-9_-]*"),
                "expected small letters, digits, - and _, beginning with a letter, found " + name);
    }

    /** An error for people: one line that says something. */
    static void requireLine(VarveException error) {
        assertFalse(error.getMessage().isBlank(), "an error without a message");
        assertFalse(error.getMessage().contains("\n"), "several lines: " + error.getMessage());
    }
}
