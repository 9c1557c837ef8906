package dev.varve.dist;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The packages that may depend on each other. The module declarations enforce part of these rules.
 * The rules also hold inside of modules.
 */
class ArchitectureTest {
    private static final String OURS = "dev.varve..";
    private static final String API = "dev.varve.api..";
    private static final String PLATFORM = "dev.varve.platform..";
    private static final String PLUGINS = "dev.varve.plugin..";
    private static final String BINDING = "dev.varve.api.ggml..";
    private static final String NATIVE_CALLS = "dev.varve.api.nativecall..";
    private static final String CLI = "dev.varve.platform.cli..";

    private static JavaClasses production;

    @BeforeAll
    static void importClasses() {
        production =
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .withImportOption(location -> !location.contains("testkit"))
                        .importPackages("dev.varve.api", "dev.varve.platform", "dev.varve.plugin");
    }

    @Test
    void apiDependsOnTheJdkOnly() {
        check(
                classes()
                        .that()
                        .resideInAPackage(API)
                        .should()
                        .onlyDependOnClassesThat()
                        .resideInAnyPackage(API, "java.."));
    }

    @Test
    void pluginsDependOnTheApiOnly() {
        check(
                noClasses()
                        .that()
                        .resideInAPackage(PLUGINS)
                        .should()
                        .dependOnClassesThat(
                                resideInAPackage(OURS)
                                        .and(not(resideInAPackage(API)))
                                        .and(not(resideInAPackage(PLUGINS)))));
    }

    @Test
    void pluginsAreIndependentOfEachOther() {
        check(slices().matching("dev.varve.plugin.(*)..").should().notDependOnEachOther());
    }

    @Test
    void platformDependsOnNoPlugin() {
        check(
                noClasses()
                        .that()
                        .resideInAPackage(PLATFORM)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(PLUGINS));
    }

    @Test
    void onlyTheBindingUsesForeignMemory() {
        check(
                noClasses()
                        .that()
                        .resideOutsideOfPackages(BINDING, NATIVE_CALLS)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("java.lang.foreign.."));
    }

    @Test
    void apiHasNoPackageCycles() {
        check(slices().matching("dev.varve.api.(*)..").should().beFreeOfCycles());
    }

    @Test
    void platformHasNoPackageCycles() {
        check(slices().matching("dev.varve.platform.(*)..").should().beFreeOfCycles());
    }

    @Test
    void onlyTheCommandLineWritesToTheTerminal() {
        check(
                noClasses()
                        .that()
                        .resideOutsideOfPackage(CLI)
                        .should()
                        .accessField(System.class, "out")
                        .orShould()
                        .accessField(System.class, "err")
                        .orShould()
                        .callMethod(Throwable.class, "printStackTrace"));
    }

    @Test
    void rulesCoverTheIntendedClasses() {
        check(classes().that().haveSimpleName("Main").should().resideInAPackage(CLI));
        check(classes().that().haveSimpleName("GgmlLibrary").should().resideInAPackage(BINDING));
        check(
                classes()
                        .that()
                        .haveSimpleName("CpuBackendProvider")
                        .should()
                        .resideInAPackage(PLUGINS));
        check(classes().that().haveSimpleName("Qwen35Family").should().resideInAPackage(PLUGINS));
    }

    private static void check(ArchRule rule) {
        rule.check(production);
    }
}
