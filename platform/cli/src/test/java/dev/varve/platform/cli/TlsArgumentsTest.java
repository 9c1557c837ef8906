package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.util.Optional;

class TlsArgumentsTest {
    private static TlsArguments parse(String... arguments) {
        return CommandLine.populateCommand(new TlsArguments(), arguments);
    }

    @Test
    void bothFilesAreNeededOrNone() {
        assertEquals(Optional.empty(), parse().source());
        for (String flag : new String[] {"--tls-cert", "--tls-key"}) {
            UsageException failure =
                    assertThrows(UsageException.class, () -> parse(flag, "x.pem").source());

            assertTrue(failure.getMessage().startsWith("--tls-cert and --tls-key: expected both"));
        }
    }

    @Test
    void missingFileIsNamed() {
        VarveException failure =
                assertThrows(
                        VarveException.class,
                        () -> parse("--tls-cert", "none.pem", "--tls-key", "x").source());

        assertEquals("--tls-cert: none.pem: cannot be read: no such file", failure.getMessage());
    }
}
