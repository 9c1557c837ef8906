package dev.varve.conformance;

import dev.varve.conformance.RandomModel.Family;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Gives a slow test every other family in each build, or fewer, and all of them at night. A test
 * that begins with the first has a recurrent one and one with windows, and so has one that begins
 * with the second.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(SomeFamilies.Provider.class)
@interface SomeFamilies {
    /** The place of the first family. */
    int first();

    /** One of this many families is tested. */
    int of() default 2;

    /** Whether a family of full attention alone is one of them. */
    boolean plain() default false;

    /** Chooses the families. */
    final class Provider implements ArgumentsProvider, AnnotationConsumer<SomeFamilies> {
        private SomeFamilies choice;

        @Override
        public void accept(SomeFamilies annotation) {
            choice = annotation;
        }

        @Override
        public Stream<Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context) {
            List<Family> all = choice.plain() ? List.of(Family.values()) : Family.ofSeveralKinds();
            return IntStream.range(0, all.size())
                    .filter(
                            place ->
                                    Thorough.tries(
                                            choice.of(), place, choice.of() - choice.first()))
                    .mapToObj(place -> Arguments.of(all.get(place)));
        }
    }
}
