package dev.varve.platform.http.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.util.Optional;

class UpstreamServerTest {
    @ParameterizedTest
    @ValueSource(strings = {"http://h:1/v1", "http://h:1/v1/", "http://h:1/v1///"})
    void trailingSlashesAreIgnored(String text) {
        URI base = UpstreamServer.parseBase(text);

        assertEquals(URI.create("http://h:1/v1/models"), UpstreamServer.of(base).at("/models"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "h",
                "localhost:8000/v1",
                "http:///v1",
                "http://h:x/v1",
                "http://h:70000/v1",
                "http://a b/v1",
                "ftp://h/v1",
                "http://user:secret@h/v1",
                "http://h/v1?key=secret",
                "http://h/v1#secret"
            })
    void invalidAddressIsRefusedWithoutBeingQuoted(String text) {
        IllegalArgumentException error =
                assertThrows(
                        IllegalArgumentException.class, () -> UpstreamServer.parseBase(text), text);

        assertFalse(error.getMessage().contains("secret"), error.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a\nb", "ü"})
    void keyThatIsNoHeaderValueIsRefused(String key) {
        URI base = URI.create("http://h/v1");

        assertThrows(
                IllegalArgumentException.class,
                () -> new UpstreamServer(base, Optional.of(key), Optional.empty()));
    }

    @Test
    void keyIsNotShown() {
        UpstreamServer target =
                new UpstreamServer(
                        URI.create("http://h/v1"), Optional.of("secret"), Optional.of("m"));

        assertEquals("http://h/v1 as m with a key", target.toString());
    }
}
