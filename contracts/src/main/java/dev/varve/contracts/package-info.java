/**
 * Tests that every plugin must pass: one abstract class per SPI. The plugin's own test extends it
 * and supplies a provider and test data. JUnit 5 runs them.
 *
 * <pre>{@code
 * class AcmeContractTest extends ModelFamilyContract {
 *     @Override
 *     protected ModelFamilyProvider provider() {
 *         return new AcmeFamily();
 *     }
 *
 *     @Override
 *     protected List<Path> models(Path folder) {
 *         return List.of(Path.of("models/acme-tiny.gguf"));
 *     }
 * }
 * }</pre>
 *
 * <p>Tests that need ggml's libraries look for them in the folder that the system property {@value
 * dev.varve.contracts.GgmlFolder#PROPERTY} names, and are skipped with that reason if it is not
 * set. If a device is missing, the tests that need it are skipped with the backend's own reason. A
 * skipped test never counts as passed.
 */
package dev.varve.contracts;
