// In one file: sources that their programs have in common are parsed once.
import "./private-members.js";
import "./public-types.js";
import "./typed-events.js";
