package dev.varve.testkit;

import dev.varve.testkit.ClaimResult.Outcome;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Has the cases of a parameterized test recorded as {@link ClaimResult}s. One argument is {@link
 * OfArchitecture}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Proves.Recorder.class)
public @interface Proves {
    /** Properties of its architecture that a passed case proves. */
    Claim[] value();

    /** Records the outcome of each case. */
    final class Recorder implements InvocationInterceptor {
        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> invocation,
                ReflectiveInvocationContext<Method> call,
                ExtensionContext context)
                throws Throwable {
            Outcome outcome = Outcome.FAILED;
            try {
                invocation.proceed();
                outcome = Outcome.PASSED;
            } catch (TestAbortedException e) {
                outcome = Outcome.SKIPPED;
                throw e;
            } finally {
                record(call.getExecutable(), call.getArguments(), outcome);
            }
        }

        private static void record(Method test, List<Object> arguments, Outcome outcome) {
            String architecture =
                    arguments.stream()
                            .filter(OfArchitecture.class::isInstance)
                            .map(each -> ((OfArchitecture) each).architecture())
                            .findFirst()
                            .orElseThrow();
            String model = arguments.stream().map(String::valueOf).collect(Collectors.joining(" "));
            for (Claim claim : test.getAnnotation(Proves.class).value()) {
                new ClaimResult(claim, architecture, model, outcome)
                        .write(test.getDeclaringClass().getSimpleName() + "." + test.getName());
            }
        }
    }
}
