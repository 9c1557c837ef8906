package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.testkit.ClaimResult.Outcome;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.InvocationInterceptor.Invocation;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Outcomes of cases are recorded, whether they pass or not. */
class ProvesTest {
    private static final String FOLDER = "varve.test.claims";

    private final Optional<String> before = Optional.ofNullable(System.getProperty(FOLDER));

    @TempDir Path folder;

    @BeforeEach
    void setFolder() {
        System.setProperty(FOLDER, folder.toString());
    }

    @AfterEach
    void restoreFolder() {
        before.ifPresentOrElse(
                value -> System.setProperty(FOLDER, value), () -> System.clearProperty(FOLDER));
    }

    /** Is no test, but has the annotation of one. */
    @Proves({Claim.SPLIT, Claim.DISK})
    void proven(DecoderLayout layout, int seed) {
        throw new AssertionError("only its annotation is read: " + layout + seed);
    }

    /** A case of the method above. */
    private record Case(Method method) implements ReflectiveInvocationContext<Method> {
        @Override
        public Class<?> getTargetClass() {
            return ProvesTest.class;
        }

        @Override
        public Optional<Object> getTarget() {
            return Optional.empty();
        }

        @Override
        public Method getExecutable() {
            return method;
        }

        @Override
        public List<Object> getArguments() {
            return List.of(DecoderLayout.MIXTRAL, 5);
        }
    }

    private static void run(Invocation<Void> invocation) throws Throwable {
        Method method =
                ProvesTest.class.getDeclaredMethod("proven", DecoderLayout.class, int.class);
        new Proves.Recorder().interceptTestTemplateMethod(invocation, new Case(method), null);
    }

    private static ClaimResult result(Claim claim, Outcome outcome) {
        return new ClaimResult(claim, "llama", "MIXTRAL 5", outcome);
    }

    @Test
    void eachClaimGetsTheOutcomeOfEachCase() throws Throwable {
        run(() -> null);
        assertThrows(
                TestAbortedException.class,
                () ->
                        run(
                                () -> {
                                    throw new TestAbortedException("no device");
                                }));
        assertThrows(
                AssertionError.class,
                () ->
                        run(
                                () -> {
                                    throw new AssertionError("differs");
                                }));

        assertEquals(
                List.of(
                        result(Claim.SPLIT, Outcome.PASSED),
                        result(Claim.DISK, Outcome.PASSED),
                        result(Claim.SPLIT, Outcome.SKIPPED),
                        result(Claim.DISK, Outcome.SKIPPED),
                        result(Claim.SPLIT, Outcome.FAILED),
                        result(Claim.DISK, Outcome.FAILED)),
                ClaimResult.readAll(folder));
    }

    @Test
    void missingFolderHasNoResults() {
        assertEquals(List.of(), ClaimResult.readAll(folder.resolve("none")));
    }
}
