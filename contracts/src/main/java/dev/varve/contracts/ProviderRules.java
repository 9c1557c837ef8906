package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlLibrary;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.function.Supplier;

/** Rules for the providers of every SPI. */
final class ProviderRules {
    private ProviderRules() {}

    /**
     * Checks that the service loader can create a provider, and that its constructor loads nothing.
     */
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

    /** Checks a name that users type before a colon. */
    static void requireWord(String name) {
        assertTrue(
                name.matches("[a-z][a-z0-9_-]*"),
                "expected small letters, digits, - and _, beginning with a letter, found " + name);
    }

    /** Checks that an error has a one-line message. */
    static void requireLine(VarveException error) {
        assertFalse(error.getMessage().isBlank(), "an error without a message");
        assertFalse(error.getMessage().contains("\n"), "several lines: " + error.getMessage());
    }
}
