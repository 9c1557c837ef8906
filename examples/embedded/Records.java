import dev.varve.embedded.ChatRequest;
import dev.varve.embedded.Varve;

public record Person(String name, int age) {}

void main(String[] arguments) {
    try (Varve model = Varve.open(Path.of(arguments[0]))) {
        var request = ChatRequest.of("Return JSON with name and age: Anna is 34 years old.");
        IO.println(model.chat(request, Person.class));
    }
}
