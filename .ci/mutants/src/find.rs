//! Where a fault can be put into code.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, ExprBinary, ExprMethodCall, ExprUnary, Item, UnOp};

/// A fault.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The file, in `src`.
    pub file: String,
    pub line: usize,
    /// The bytes of the expression.
    pub range: Range<usize>,
    /// The expression, and what it becomes.
    pub text: String,
    pub with: String,
}

impl Mutant {
    /// What identifies it, whatever line it is on.
    pub fn key(&self) -> String {
        let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{} | {} | {}", self.file, in_one_line(&self.text), in_one_line(&self.with))
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.key(), self.line)
    }
}

/// All mutants of a folder, in the order of the code. No two of them overlap in part: one is inside the
/// other, or they are apart.
pub fn in_folder(src: &Path, folder: &str) -> Vec<Mutant> {
    let mut found = Vec::new();
    let mut paths: Vec<_> = fs::read_dir(src.join(folder))
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a name"))
        .collect();
    paths.sort();
    for name in paths {
        let file = format!("{folder}/{name}");
        if src.join(&file).is_dir() {
            if name != "tests" {
                found.extend(in_folder(src, &file));
            }
        } else if let Some(stem) = name.strip_suffix(".rs")
            && !["tests", "testing", "simulated"].contains(&stem)
        {
            let text = fs::read_to_string(src.join(&file)).expect("a source");
            let parsed = syn::parse_file(&text).expect("Rust");
            let mut finder = Finder { file: &file, text: &text, found: Vec::new() };
            finder.visit_file(&parsed);
            found.extend(finder.found);
        }
    }
    found
}

struct Finder<'a> {
    file: &'a str,
    text: &'a str,
    found: Vec<Mutant>,
}

impl Finder<'_> {
    /// Replaces a stretch of an expression.
    fn replace(&mut self, whole: impl Spanned, part: impl Spanned, with: &str) {
        let (range, part) = (whole.span().byte_range(), part.span().byte_range());
        let text = self.text[range.clone()].to_owned();
        let mut changed = text.clone();
        changed.replace_range(part.start - range.start..part.end - range.start, with);
        let line = whole.span().start().line;
        self.found.push(Mutant { file: self.file.to_owned(), line, range, text, with: changed });
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

/// Whether `if let` binds a name in an expression, which no parentheses may be around.
fn binds(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_item(&mut self, item: &'a Item) {
        // What is constant cannot ask whether a fault is switched on.
        match item {
            Item::Mod(module) if is_test(&module.attrs) => {}
            Item::Fn(function) if function.sig.constness.is_some() || is_test(&function.attrs) => {}
            Item::Const(_) | Item::Static(_) | Item::Macro(_) | Item::Enum(_) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}

    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'a syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_type(&mut self, _: &'a syn::Type) {}

    fn visit_generic_argument(&mut self, _: &'a syn::GenericArgument) {}

    fn visit_pat(&mut self, _: &'a syn::Pat) {}

    fn visit_expr_binary(&mut self, binary: &'a ExprBinary) {
        // Measurements hardly ever equal a bound: what is compared in the analysis is turned round.
        let measures = self.file.starts_with("analysis/");
        let with = match binary.op {
            BinOp::Lt(_) | BinOp::Le(_) if measures => ">",
            BinOp::Gt(_) | BinOp::Ge(_) if measures => "<",
            BinOp::Lt(_) => "<=",
            BinOp::Le(_) => "<",
            BinOp::Gt(_) => ">=",
            BinOp::Ge(_) => ">",
            BinOp::Eq(_) => "!=",
            BinOp::Ne(_) => "==",
            BinOp::And(_) => "||",
            BinOp::Or(_) => "&&",
            BinOp::Add(_) => "-",
            BinOp::Sub(_) => "+",
            BinOp::Mul(_) => "/",
            BinOp::Div(_) => "*",
            BinOp::AddAssign(_) => "-=",
            BinOp::SubAssign(_) => "+=",
            _ => "",
        };
        if !with.is_empty() && !binds(&binary.left) && !binds(&binary.right) {
            self.replace(binary, &binary.op, with);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'a ExprUnary) {
        if let UnOp::Not(not) = &unary.op {
            self.replace(unary, not, "");
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        let with = match call.method.to_string().as_str() {
            "min" if call.args.len() == 1 => "max",
            "max" if call.args.len() == 1 => "min",
            "any" => "all",
            "all" => "any",
            "first" => "last",
            "last" => "first",
            _ => "",
        };
        if !with.is_empty() {
            self.replace(call, &call.method, with);
        }
        visit::visit_expr_method_call(self, call);
    }
}
