package dev.varve.platform.hub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;

class HubReferenceTest {
    @Test
    void aReferenceHasAnOwnerANameAndAQuantisation() {
        HubReference reference = HubReference.parse("Qwen/Qwen3-0.6B-GGUF:Q8_0");

        assertEquals(new HubReference("Qwen", "Qwen3-0.6B-GGUF", Optional.of("Q8_0")), reference);
        assertEquals("Qwen/Qwen3-0.6B-GGUF:Q8_0", reference.toString());
        assertEquals("a/b", HubReference.parse("a/b").toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "model.gguf",
                "a/b/c",
                "../b",
                "a/..",
                "a/b:",
                "a/b:../x",
                "a/b--c",
                "a/.b",
                "a/b?x",
                "a b/c",
                "/a/b"
            })
    void otherTextsAreRefused(String text) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> HubReference.parse(text));

        assertTrue(refused.getMessage().contains("found " + text), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../x.gguf",
                "a/../../x.gguf",
                "/etc/x.gguf",
                "a//x.gguf",
                "./x.gguf",
                "a\\..\\x.gguf",
                "a\nb.gguf",
                "a\u009bb.gguf",
                ""
            })
    void aFileOutsideOfItsRepositoryIsRefused(String path) {
        VarveException refused =
                assertThrows(VarveException.class, () -> new HubFile(path, 1, "0".repeat(64)));

        assertTrue(refused.getMessage().contains("outside"), refused.getMessage());
    }

    @Test
    void aLengthOrPathBeyondTheLimitsIsRefused() {
        String digest = "0".repeat(64);

        assertThrows(VarveException.class, () -> new HubFile("x.gguf", Long.MAX_VALUE, digest));
        assertThrows(VarveException.class, () -> new HubFile("x".repeat(1025), 1, digest));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "../../x", "ABCDEF", "zz"})
    void aDigestThatIsNoneIsRefused(String digest) {
        assertThrows(VarveException.class, () -> new HubFile("x.gguf", 1, digest));
    }
}
