package dev.varve.testkit;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;

/**
 * The cases of a parameterized test that run in every build. The others differ from these in family
 * or type alone, and are skipped except in the nightly build.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ByDay.Condition.class)
public @interface ByDay {
    /** Numbers of the cases in the order of the test's source, from 1. */
    int[] value() default {};

    /** Numbers of the cases that do not run in every build; shorter if most cases do. */
    int[] except() default {};

    /** Skips the other cases. */
    final class Condition implements ExecutionCondition {
        private static final ConditionEvaluationResult RUNS =
                ConditionEvaluationResult.enabled("runs in every build");

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            String id = context.getUniqueId();
            int number = id.lastIndexOf('#');
            if (Effort.isFull() || number < 0) {
                return RUNS;
            }
            int invocation = Integer.parseInt(id.substring(number + 1, id.length() - 1));
            return AnnotationSupport.findAnnotation(context.getElement(), ByDay.class)
                    .filter(cases -> !runs(cases, invocation))
                    .map(cases -> ConditionEvaluationResult.disabled("runs in the nightly build"))
                    .orElse(RUNS);
        }

        private static boolean runs(ByDay cases, int invocation) {
            return cases.value().length == 0
                    ? Arrays.stream(cases.except()).noneMatch(each -> each == invocation)
                    : Arrays.stream(cases.value()).anyMatch(each -> each == invocation);
        }
    }
}
